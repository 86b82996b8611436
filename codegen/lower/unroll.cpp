#include "tlm/codegen/lower/unroll.h"

#include <map>

#include "tlm/codegen/lower/rewrite.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;

namespace {

Stmt with_var(const Stmt& s, int var) {
  StmtNode n = *s;
  n.var = var;
  return std::make_shared<const StmtNode>(std::move(n));
}

// A copy of `body` whose lets have fresh names.
Stmt fresh_copy(Kernel& k, const Stmt& body) {
  std::map<int, int> renamed;
  visit_stmts(body, [&](const Stmt& s) {
    if (s->kind != StmtKind::kLet) return;
    const auto l = static_cast<size_t>(s->var);
    renamed[s->var] = new_local(k, k.locals[l], k.local_types[l], k.local_lanes[l]);
  });
  if (renamed.empty()) return body;
  const Stmt out = map_exprs(body, [&](const Expr& e) {
    return rewrite_expr(e, [&](const Expr& n) -> Expr {
      if (n->op != Op::kLocal) return {};
      auto it = renamed.find(n->id);
      return it == renamed.end() ? Expr() : read_local(k, it->second);
    });
  });
  return map_stmts(out, [&](const Stmt& s) { return s->kind == StmtKind::kLet ? with_var(s, renamed.at(s->var)) : s; });
}

Stmt expand(Kernel& k, const Stmt& loop) {
  TLM_CHECK(loop->extent->op == Op::kInt) << "unrolled loop " << k.vars[static_cast<size_t>(loop->var)] << " of unknown extent";
  std::vector<Stmt> copies;
  for (int64_t i = 0; i < loop->extent->ival; ++i) {
    const Stmt copy = i == 0 ? loop->body[0] : fresh_copy(k, loop->body[0]);
    copies.push_back(
        map_exprs(copy, [&](const Expr& e) { return uses_var(e, loop->var) ? substitute_var(e, loop->var, make_int(i)) : e; }));
  }
  return flat_block(std::move(copies));
}

// Elements of register arrays, by buffer and literal index.
class Registers {
 public:
  explicit Registers(Kernel& k) : k_(k) {}

  Stmt run(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::kAlloc:
        if (!is_register(s->buffer)) break;
        return run(s->body[0]);
      case StmtKind::kStore: {
        if (!is_register(s->buffer)) break;
        const Expr value = read(s->value);
        auto [it, fresh] = locals_.try_emplace(key(s->buffer, s->indices), -1);
        if (fresh) it->second = new_local(k_, name(s->buffer, s->indices), value->dtype, value->lanes);
        return fresh ? make_local(it->second, value) : make_assign(it->second, value);
      }
      default: break;
    }
    StmtNode n = *s;
    if (n.extent) n.extent = read(n.extent);
    for (Expr& i : n.indices) i = read(i);
    if (n.value) n.value = read(n.value);
    std::vector<Stmt> body;
    for (const Stmt& b : n.body) body.push_back(run(b));
    if (n.kind == StmtKind::kBlock) return flat_block(std::move(body));
    n.body = std::move(body);
    return std::make_shared<const StmtNode>(std::move(n));
  }

 private:
  using Key = std::vector<int64_t>;
  bool is_register(int buffer) const { return k_.buffers[static_cast<size_t>(buffer)].scope == MemoryScope::kRegister; }

  Key key(int buffer, const std::vector<Expr>& indices) const {
    Key out = {buffer};
    for (const Expr& i : indices) {
      TLM_CHECK(i->op == Op::kInt) << "register array " << k_.buffers[static_cast<size_t>(buffer)].name
                                   << " addressed at run time";
      out.push_back(i->ival);
    }
    return out;
  }

  std::string name(int buffer, const std::vector<Expr>& indices) const {
    const Buffer& b = k_.buffers[static_cast<size_t>(buffer)];
    std::string out = b.name;
    for (size_t d = 0; d < indices.size(); ++d)
      if (b.shape.size() <= d || b.shape[d] > 1) out += "_" + std::to_string(indices[d]->ival);
    return out;
  }

  Expr read(const Expr& e) {
    return rewrite_expr(e, [&](const Expr& n) -> Expr {
      if (n->op != Op::kLoad || !is_register(n->id)) return {};
      auto it = locals_.find(key(n->id, n->args));
      TLM_CHECK(it != locals_.end()) << "register array " << k_.buffers[static_cast<size_t>(n->id)].name
                                     << " read before it is set";
      return read_local(k_, it->second);
    });
  }

  Kernel& k_;
  std::map<Key, int> locals_;
};

}  // namespace

void unroll(Kernel& k) {
  for (Phase& p : k.phases) {
    p.body = map_stmts(
        p.body, [&](const Stmt& s) { return s->kind == StmtKind::kFor && s->loop == LoopKind::kUnrolled ? expand(k, s) : s; });
    p.body = Registers(k).run(p.body);
  }
  // Register arrays are gone: nothing addresses them.
  while (!k.buffers.empty() && k.buffers.back().scope == MemoryScope::kRegister) k.buffers.pop_back();
}

}  // namespace tlm::codegen
