#include "tlm/codegen/lower/hoist_offsets.h"

#include <algorithm>
#include <map>

#include "tlm/codegen/lower/linear.h"
#include "tlm/codegen/lower/rewrite.h"

namespace tlm::codegen {

using namespace ir;

namespace {

constexpr int kPinned = 1 << 20;  // depends on memory or on a value computed in place: stays where it is

class Hoist {
 public:
  explicit Hoist(Kernel& k) : k_(k) {}

  Stmt phase(const Stmt& body) {
    scopes_.assign(1, {});
    return close_scope(rewritten(body));
  }

 private:
  // One scope is the body of a loop (number 0: the phase). `lets` go to its start.
  struct Scope {
    std::map<Expr, int, ExprLess> known;
    std::vector<Stmt> lets;
  };

  int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  static bool pure_index(const Expr& e) {
    return !any_node(e, [](const Expr& n) {
      return n->lanes > 1 || (n->dtype != DType::kI64 && n->dtype != DType::kBool) || n->op == Op::kLoad;
    });
  }

  // The body of the innermost scope, its lets in front: behind the lets that define indices of merged loops.
  Stmt close_scope(const Stmt& body) {
    std::vector<Stmt> out, rest;
    for (const Stmt& s : statements(body)) {
      const bool index = rest.empty() && s->kind == StmtKind::kLet && depth_.count(s->var);
      (index ? out : rest).push_back(s);
    }
    out.insert(out.end(), scopes_.back().lets.begin(), scopes_.back().lets.end());
    out.insert(out.end(), rest.begin(), rest.end());
    scopes_.pop_back();
    return flat_block(std::move(out));
  }

  Stmt rewritten(const Stmt& s) {
    StmtNode n = *s;
    if (s->kind == StmtKind::kFor) {
      n.extent = value(s->extent);
      scopes_.push_back({});
      var_depth_[s->var] = depth();
      // Indices of merged parallel loops: lets at the very start of the body.
      for (const Stmt& t : statements(s->body[0])) {
        if (t->kind != StmtKind::kLet || t->value->dtype != DType::kI64 || !pure_index(t->value)) break;
        depth_[t->var] = depth();
        index_lets_[t->var] = true;
      }
      n.body = {close_scope(rewritten(s->body[0]))};
      return std::make_shared<const StmtNode>(std::move(n));
    }
    if (s->kind == StmtKind::kLet && index_lets_.count(s->var)) return s;
    for (Expr& i : n.indices) i = value(i);
    if (n.value) n.value = value(n.value);
    for (Stmt& b : n.body) b = rewritten(b);
    if (n.kind == StmtKind::kBlock) return flat_block(std::move(n.body));
    return std::make_shared<const StmtNode>(std::move(n));
  }

  int depth_of(const Expr& e) {
    int d = 0;
    visit(e, [&](const Expr& n) {
      if (n->op == Op::kVar) d = std::max(d, var_depth_.at(n->id));
      if (n->op == Op::kLocal) {
        auto it = depth_.find(n->id);
        d = std::max(d, it == depth_.end() ? kPinned : it->second);
      }
      if (n->op == Op::kLoad || n->lanes > 1) d = kPinned;
    });
    return d;
  }

  // `e` as a local of scope `d`.
  Expr let_at(int d, const Expr& e) {
    if (e->args.empty()) return e;
    Scope& scope = scopes_[static_cast<size_t>(d)];
    auto it = scope.known.find(e);
    if (it == scope.known.end()) {
      const int l = new_local(k_, e->dtype == DType::kBool ? "inside" : "o", e->dtype, 1);
      depth_[l] = d;
      scope.lets.push_back(make_let(l, e));
      it = scope.known.emplace(e, l).first;
    }
    return read_local(k_, it->second);
  }

  Expr index(const Expr& e) {
    const Linear sum = linearize(e);
    std::map<int, Linear> by_depth;
    for (const auto& [atom, c] : sum.terms) {
      const int d = depth_of(atom);
      Expr kept = atom;
      if (d < kPinned && !atom->args.empty()) kept = let_at(std::min(d, depth()), atom);  // ÷ and mod are computed once
      if (d >= kPinned) kept = inside(atom);
      by_depth[d] = by_depth[d] + linearize(kept) * c;
    }
    Expr base;
    for (const auto& [d, part] : by_depth) {
      const Expr terms = terms_expr(part);
      base = base ? base + terms : terms;
      if (d < depth()) base = let_at(d, base);
    }
    return base ? base + sum.constant : make_int(sum.constant);
  }

  // Arguments of a node that itself stays in place.
  Expr inside(const Expr& e) {
    if (e->args.empty()) return e;
    std::vector<Expr> args;
    for (const Expr& a : e->args) args.push_back(value(a));
    return with_args(e, std::move(args));
  }

  Expr value(const Expr& e) {
    if (e->args.empty()) return e;
    if (e->lanes == 1 && e->dtype == DType::kI64 && e->op != Op::kLoad && e->op != Op::kSelect && e->op != Op::kLane)
      return index(e);
    if (e->lanes == 1 && e->dtype == DType::kBool && pure_index(e)) {
      const int d = depth_of(e);
      if (d < depth()) return let_at(d, inside(e));
    }
    return inside(e);
  }

  Kernel& k_;
  std::vector<Scope> scopes_;
  std::map<int, int> var_depth_;  // loop variable → scope that defines it
  std::map<int, int> depth_;      // index local → scope that defines it
  std::map<int, bool> index_lets_;
};

}  // namespace

void hoist_offsets(Kernel& k) {
  for (Phase& p : k.phases) p.body = Hoist(k).phase(p.body);
}

}  // namespace tlm::codegen
