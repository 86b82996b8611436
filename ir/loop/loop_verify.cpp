#include <algorithm>
#include <set>
#include <unordered_set>

#include "tlm/core/error.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/ir/tensor/expr_text.h"
#include "tlm/ir/tensor/expr_verify.h"

namespace tlm::ir {
namespace {

class KernelVerifier {
 public:
  explicit KernelVerifier(const Kernel& k) : k_(k) {}

  void run() {
    need(k_.locals.size() == k_.local_types.size() && k_.locals.size() == k_.local_lanes.size(),
         "each local has a name, a type and lanes");
    names();
    params();
    vars_.assign(k_.vars.size(), false);
    locals_.assign(k_.locals.size(), Local::kUndeclared);
    for (const Phase& p : k_.phases) phase(p);
    for (int b : allocated_) need(!outside_.count(b), "buffer " + std::to_string(b) + " is used outside of its alloc");
  }

 private:
  enum class Local : uint8_t { kUndeclared, kConstant, kMutable };

  [[noreturn]] void fail(const std::string& rule) const {
    std::string what = "malformed kernel: " + rule;
    if (current_) what += "\n  in: " + describe(*current_);
    throw InternalError(ErrorCode::kInternal, what, "kernel `" + k_.name + "`");
  }
  void need(bool holds, const char* rule) const {
    if (!holds) fail(rule);
  }
  void need(bool holds, const std::string& rule) const {
    if (!holds) fail(rule);
  }

  // A statement without its body.
  std::string describe(const StmtNode& s) const {
    ExprNames n;
    const auto pick = [](const auto& v, int i) {
      return i >= 0 && i < static_cast<int>(v.size()) ? v[i] : "?" + std::to_string(i);
    };
    n.var = [&](int i) { return pick(k_.vars, i); };
    n.local = [&](int i) { return pick(k_.locals, i); };
    n.tensor = [&](int i) { return "b" + std::to_string(i); };
    const auto text = [&](const Expr& e) { return e ? ir::print(e, n) : "?"; };
    switch (s.kind) {
      case StmtKind::kFor: return "for " + n.var(s.var) + " < " + text(s.extent);
      case StmtKind::kIf: return "if " + text(s.value);
      case StmtKind::kStore: {
        std::string index;
        for (const Expr& e : s.indices) index += (index.empty() ? "" : ", ") + text(e);
        return "b" + std::to_string(s.buffer) + "[" + index + "] = " + text(s.value);
      }
      case StmtKind::kLet:
      case StmtKind::kLocal:
      case StmtKind::kAssign: return n.local(s.var) + " = " + text(s.value);
      case StmtKind::kAlloc: return "alloc b" + std::to_string(s.buffer);
      case StmtKind::kBarrier: return "barrier";
      case StmtKind::kPrefetch: return "prefetch b" + std::to_string(s.buffer);
      default: return "block";
    }
  }

  void names() const {
    std::unordered_set<std::string> seen;
    for (const auto* list : {&k_.vars, &k_.locals})
      for (const std::string& n : *list) {
        const bool identifier =
            !n.empty() &&
            n.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos &&
            !(n[0] >= '0' && n[0] <= '9');
        need(identifier, "`" + n + "` is not an identifier");
        need(seen.insert(n).second, "the name `" + n + "` is used twice");
      }
  }

  void params() const {
    for (const KernelParam& p : k_.params) {
      need(p.tensor >= 0 && p.tensor < static_cast<int>(k_.buffers.size()), "a parameter stands for a buffer");
      need(p.packed.empty() || !p.output, "only constants are packed");
    }
    for (const Buffer& b : k_.buffers) {
      need(b.param < static_cast<int>(k_.params.size()), "buffer `" + b.name + "`: no such parameter");
      need(b.param < 0 || b.scope == MemoryScope::kGlobal, "buffer `" + b.name + "`: a parameter is global memory");
      need(b.elements >= 0, "buffer `" + b.name + "`: negative size");
    }
  }

  void phase(const Phase& p) {
    need(p.body != nullptr, "a phase has a body");
    need(p.extent >= 0 && p.grain >= 1, "a phase has an extent >= 0 and a grain >= 1");
    const bool loop = p.body->kind == StmtKind::kFor && (p.body->loop == LoopKind::kParallel || p.body->loop == LoopKind::kBlock);
    current_ = p.body.get();
    need(loop || p.extent <= 1, "a phase without parallel loop has one iteration");
    if (loop)
      need(p.body->extent && p.body->extent->op == Op::kInt && p.body->extent->ival == p.extent,
           "the phase's extent is its loop's");
    outermost_ = true;
    stmt(p.body);
    current_ = nullptr;
  }

  // Everything declared inside goes out of scope at the end.
  void scoped(const Stmt& s) {
    const size_t mark = declared_.size();
    stmt(s);
    for (; declared_.size() > mark; declared_.pop_back()) locals_[static_cast<size_t>(declared_.back())] = Local::kUndeclared;
  }

  void stmt(const Stmt& s) {
    need(s != nullptr, "empty statement");
    const StmtNode* enclosing = current_;
    current_ = s.get();
    const bool outermost = outermost_;
    outermost_ = false;
    switch (s->kind) {
      case StmtKind::kBlock:
        for (const Stmt& b : s->body) stmt(b);
        break;
      case StmtKind::kFor: loop(*s, outermost); break;
      case StmtKind::kIf: branch(*s); break;
      case StmtKind::kStore: store(*s); break;
      case StmtKind::kLet:
      case StmtKind::kLocal:
      case StmtKind::kAssign: set(*s); break;
      case StmtKind::kAlloc: alloc(*s); break;
      case StmtKind::kBarrier:
        need(blocks_ > 0, "a barrier belongs to a block of threads");
        need(divergent_ == 0, "a barrier in divergent code");
        break;
      case StmtKind::kPrefetch:
        need(s->buffer >= 0 && s->buffer < static_cast<int>(k_.buffers.size()), "a prefetch has a buffer");
        need(k_.buffers[static_cast<size_t>(s->buffer)].scope == MemoryScope::kGlobal, "parameters are prefetched");
        for (const Expr& i : s->indices) expression(i, 1);
        if (s->value) expression(s->value, 1);
        break;
      case StmtKind::kComment: need(s->text.find('\n') == std::string::npos, "a comment is one line"); break;
    }
    current_ = enclosing;
  }

  void loop(const StmtNode& s, bool outermost) {
    need(s.body.size() == 1, "a loop has one body");
    need(s.var >= 0 && s.var < static_cast<int>(k_.vars.size()), "a loop has a variable");
    need(!vars_[static_cast<size_t>(s.var)], "a loop inside a loop of the same variable");
    expression(s.extent, 1);
    need(s.extent->dtype == DType::kI64, "an extent is i64");
    need(s.loop != LoopKind::kParallel || outermost, "parallel loops are outermost");
    need(s.loop != LoopKind::kBlock || outermost || blocks_ > 0, "loops over blocks are outermost");
    if (s.loop == LoopKind::kVector) {
      need(s.extent->op == Op::kInt && s.extent->ival >= 1, "the extent of a vector loop is a literal");
      need(s.active >= 0 && s.active <= s.extent->ival, "more active lanes than lanes");
    }
    const bool threads = s.loop == LoopKind::kThread || s.loop == LoopKind::kWarp;
    const bool uneven = depends_on_thread(s.extent);
    if (threads) thread_vars_.insert(s.var);
    blocks_ += s.loop == LoopKind::kBlock;
    divergent_ += uneven;
    vars_[static_cast<size_t>(s.var)] = true;
    scoped(s.body[0]);
    vars_[static_cast<size_t>(s.var)] = false;
    divergent_ -= uneven;
    blocks_ -= s.loop == LoopKind::kBlock;
    thread_vars_.erase(s.var);
  }

  void branch(const StmtNode& s) {
    need(s.body.size() == 1 || s.body.size() == 2, "an if has one or two bodies");
    expression(s.value, 1);
    need(s.value->dtype == DType::kBool, "a condition is bool");
    const bool uneven = depends_on_thread(s.value);
    divergent_ += uneven;
    for (const Stmt& b : s.body) scoped(b);
    divergent_ -= uneven;
  }

  void store(const StmtNode& s) {
    buffer(s.buffer);
    const Buffer& b = k_.buffers[static_cast<size_t>(s.buffer)];
    need(b.param < 0 || k_.params[static_cast<size_t>(b.param)].output, "a store to a parameter that is not an output");
    int lanes = 1;
    for (const Expr& i : s.indices) {
      expression(i, 0);
      need(i->dtype == DType::kI64, "an index is i64");
      lanes = std::max(lanes, i->lanes);
    }
    need(s.indices.size() == b.shape.size() || (b.shape.empty() && s.indices.size() == 1),
         "one index for each dimension, one offset once placed");
    expression(s.value, lanes);
    need(s.value->dtype == b.dtype, "the value has the type of the buffer");
    need(lanes == 1 || s.indices.back()->op == Op::kRamp, "a vector is stored at a ramp");
    need(s.active >= 0 && s.active <= lanes, "more active lanes than lanes");
  }

  void set(const StmtNode& s) {
    need(s.var >= 0 && s.var < static_cast<int>(k_.locals.size()), "no such local");
    expression(s.value, k_.local_lanes[static_cast<size_t>(s.var)]);
    need(s.value->dtype == k_.local_types[static_cast<size_t>(s.var)], "the value has the type of the local");
    Local& state = locals_[static_cast<size_t>(s.var)];
    if (s.kind == StmtKind::kAssign) return need(state == Local::kMutable, "only a mutable local in scope is assigned");
    need(state == Local::kUndeclared, "the local is declared twice");
    state = s.kind == StmtKind::kLet ? Local::kConstant : Local::kMutable;
    declared_.push_back(s.var);
    if (depends_on_thread(s.value)) thread_locals_.insert(s.var);
  }

  void alloc(const StmtNode& s) {
    need(s.buffer >= 0 && s.buffer < static_cast<int>(k_.buffers.size()), "no such buffer");
    need(s.body.size() == 1, "an alloc has one body");
    need(k_.buffers[static_cast<size_t>(s.buffer)].param < 0, "a parameter is not allocated");
    need(!open_allocs_.count(s.buffer), "the buffer is allocated already");
    allocated_.insert(s.buffer);
    open_allocs_.insert(s.buffer);
    scoped(s.body[0]);
    open_allocs_.erase(s.buffer);
  }

  void buffer(int id) {
    need(id >= 0 && id < static_cast<int>(k_.buffers.size()), "no such buffer");
    if (!open_allocs_.count(id)) outside_.insert(id);
  }

  // lanes: what the value must have; 0: any.
  void expression(const Expr& root, int lanes) {
    need(static_cast<bool>(root), "empty expression");
    visit(root, [&](const Expr& e) { node(e); });
    need(lanes == 0 || root->lanes == lanes,
         "the value has " + std::to_string(root->lanes) + " lanes, not " + std::to_string(lanes));
  }

  void node(const Expr& e) {
    const std::string rule = broken_rule(e);
    need(rule.empty(), std::string(op_name(e->op)) + ": " + rule);
    switch (e->op) {
      case Op::kAcc: fail("accumulators belong to stages");
      case Op::kVar:
        need(e->id >= 0 && e->id < static_cast<int>(k_.vars.size()), "no such variable");
        need(vars_[static_cast<size_t>(e->id)], "variable `" + k_.vars[static_cast<size_t>(e->id)] + "` is not in scope");
        break;
      case Op::kLocal: {
        need(e->id >= 0 && e->id < static_cast<int>(k_.locals.size()), "no such local");
        const auto id = static_cast<size_t>(e->id);
        need(locals_[id] != Local::kUndeclared, "local `" + k_.locals[id] + "` is not in scope");
        need(e->dtype == k_.local_types[id] && e->lanes == k_.local_lanes[id],
             "local `" + k_.locals[id] + "` is read with another type");
        break;
      }
      case Op::kLoad: {
        buffer(e->id);
        const Buffer& b = k_.buffers[static_cast<size_t>(e->id)];
        need(e->dtype == b.dtype, "a load has the type of its buffer");
        need(e->args.size() == b.shape.size() || (b.shape.empty() && e->args.size() == 1),
             "one index for each dimension, one offset once placed");
        need(e->ival >= 0 && e->ival <= e->lanes, "a load reads more lanes than it has");
        break;
      }
      default: break;
    }
  }

  bool depends_on_thread(const Expr& root) const {
    bool found = false;
    visit(root, [&](const Expr& e) {
      found = found || (e->op == Op::kVar && thread_vars_.count(e->id)) || (e->op == Op::kLocal && thread_locals_.count(e->id));
    });
    return found;
  }

  const Kernel& k_;
  const StmtNode* current_ = nullptr;
  bool outermost_ = false;
  std::vector<bool> vars_;  // in scope
  std::vector<Local> locals_;
  std::vector<int> declared_;  // locals in scope, in order
  std::set<int> thread_vars_, thread_locals_, open_allocs_, allocated_, outside_;
  int blocks_ = 0, divergent_ = 0;
};

}  // namespace

void verify(const Kernel& k) { KernelVerifier(k).run(); }

}  // namespace tlm::ir
