// Kernels as text for people: C-like, one statement in a line. Deterministic; not parsed back.
#include "tlm/ir/loop/stmt.h"
#include "tlm/ir/tensor/expr_text.h"

namespace tlm::ir {
namespace {

constexpr const char* kLoops[] = {"for", "parallel for", "vector for", "unrolled for", "block for", "warp for", "thread for"};
constexpr const char* kScopes[] = {"global", "workspace", "worker", "shared", "private", "register"};

std::string list(const std::vector<int64_t>& v) {
  std::string s = "[";
  for (size_t i = 0; i < v.size(); ++i) s += (i ? "," : "") + std::to_string(v[i]);
  return s + "]";
}

class Printer {
 public:
  explicit Printer(const Kernel& k) : k_(k) {
    const auto pick = [](const auto& v, int i, const char* prefix) {
      return i >= 0 && i < static_cast<int>(v.size()) ? v[static_cast<size_t>(i)] : prefix + std::to_string(i);
    };
    names_.var = [&k, pick](int i) { return pick(k.vars, i, "?v"); };
    names_.local = [&k, pick](int i) { return pick(k.locals, i, "?l"); };
    names_.tensor = [this](int i) { return buffer(i); };
  }

  std::string run() {
    out_ = "kernel " + k_.name + "(";
    for (size_t i = 0; i < k_.params.size(); ++i) {
      const KernelParam& p = k_.params[i];
      out_ += i ? ", " : "";
      out_ += (p.output ? "out " : "") + buffer(p.tensor) + ": " + std::to_string(p.elements);
      for (const PackedDim& d : p.packed)
        out_ += (&d == p.packed.data() ? " packed " : ",") + std::to_string(d.dim) + ":" + std::to_string(d.extent) + "*" +
                std::to_string(d.step);
    }
    out_ += ") workspace " + std::to_string(k_.workspace_bytes) + " worker " + std::to_string(k_.worker_bytes) + " {\n";
    for (size_t i = 0; i < k_.buffers.size(); ++i) declare(static_cast<int>(i));
    for (size_t i = 0; i < k_.phases.size(); ++i) {
      const Phase& p = k_.phases[i];
      out_ += "  phase " + std::to_string(i) + " extent " + std::to_string(p.extent) + " grain " + std::to_string(p.grain);
      if (p.threads) out_ += " threads " + std::to_string(p.threads);
      out_ += " {\n";
      indent_ = 2;
      stmt(p.body);
      out_ += "  }\n";
    }
    return out_ + "}\n";
  }

 private:
  // Names need not be unique: the number makes them so.
  std::string buffer(int i) const {
    if (i < 0 || i >= static_cast<int>(k_.buffers.size())) return "?b" + std::to_string(i);
    const std::string& name = k_.buffers[static_cast<size_t>(i)].name;
    return (is_plain_name(name) ? name + "." : "b") + std::to_string(i);
  }

  void declare(int i) {
    const Buffer& b = k_.buffers[static_cast<size_t>(i)];
    out_ += std::string("  ") + kScopes[static_cast<int>(b.scope)] + " " + buffer(i);
    if (!is_plain_name(b.name)) out_ += " " + quote(b.name);
    (out_ += ": ") += dtype_name(b.dtype);
    if (!b.shape.empty()) out_ += list(b.shape) + " strides " + list(b.strides);
    if (b.offset) out_ += " offset " + std::to_string(b.offset);
    out_ += " elements " + std::to_string(b.elements);
    if (b.param >= 0) out_ += " param " + std::to_string(b.param);
    out_ += "\n";
  }

  std::string text(const Expr& e) const { return e ? print(e, names_) : "?"; }

  static std::string type(DType t, int lanes) {
    return std::string(dtype_name(t)) + (lanes > 1 ? "x" + std::to_string(lanes) : "");
  }

  void line(const std::string& s) { (((out_ += std::string(2 * static_cast<size_t>(indent_), ' ')) += s) += "\n"); }

  void nested(const std::string& head, const Stmt& body) {
    line(head + " {");
    ++indent_;
    stmt(body);
    --indent_;
  }

  void stmt(const Stmt& s) {
    if (!s) return line("?");
    switch (s->kind) {
      case StmtKind::kBlock:
        for (const Stmt& b : s->body) stmt(b);
        return;
      case StmtKind::kFor: {
        std::string head = std::string(kLoops[static_cast<int>(s->loop)]) + " " + names_.var(s->var) + " < " + text(s->extent);
        if (s->active) head += " active " + std::to_string(s->active);
        nested(head, s->body.empty() ? nullptr : s->body[0]);
        return line("}");
      }
      case StmtKind::kIf:
        nested("if " + text(s->value), s->body.empty() ? nullptr : s->body[0]);
        if (s->body.size() > 1) nested("} else", s->body[1]);
        return line("}");
      case StmtKind::kStore: {
        std::string target = buffer(s->buffer) + "[";
        for (size_t i = 0; i < s->indices.size(); ++i) target += (i ? ", " : "") + text(s->indices[i]);
        return line(target + "]" + (s->active ? "{" + std::to_string(s->active) + "}" : "") + " = " + text(s->value));
      }
      case StmtKind::kLet: return line("let " + names_.local(s->var) + ": " + local_type(s->var) + " = " + text(s->value));
      case StmtKind::kLocal: return line("var " + names_.local(s->var) + ": " + local_type(s->var) + " = " + text(s->value));
      case StmtKind::kAssign: return line(names_.local(s->var) + " = " + text(s->value));
      case StmtKind::kAlloc: nested("alloc " + buffer(s->buffer), s->body.empty() ? nullptr : s->body[0]); return line("}");
      case StmtKind::kBarrier: return line("barrier");
      case StmtKind::kPrefetch: {
        std::string target = buffer(s->buffer) + "[";
        for (size_t i = 0; i < s->indices.size(); ++i) target += (i ? ", " : "") + text(s->indices[i]);
        return line("prefetch " + target + "]" + (s->value ? " + " + text(s->value) : ""));
      }
      case StmtKind::kComment: return line("# " + s->text);
    }
  }

  std::string local_type(int i) const {
    if (i < 0 || i >= static_cast<int>(k_.local_types.size())) return "?";
    return type(k_.local_types[static_cast<size_t>(i)], k_.local_lanes[static_cast<size_t>(i)]);
  }

  const Kernel& k_;
  ExprNames names_;
  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string print(const Kernel& k) { return Printer(k).run(); }

}  // namespace tlm::ir
