#include "tlm/codegen/lower/rewrite.h"

#include <algorithm>
#include <unordered_map>

#include "tlm/codegen/lower/linear.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;

namespace {
Expr node(ExprNode n) { return Expr(std::make_shared<const ExprNode>(std::move(n))); }
Stmt statement(StmtNode n) { return std::make_shared<const StmtNode>(std::move(n)); }

Expr rewrite_shared(const Expr& e, const std::function<Expr(const Expr&)>& replace,
                    std::unordered_map<const ExprNode*, Expr>& done) {
  if (auto it = done.find(e.get()); it != done.end()) return it->second;
  Expr out = e;
  if (!e->args.empty()) {
    std::vector<Expr> args;
    args.reserve(e->args.size());
    bool changed = false;
    for (const Expr& a : e->args) {
      args.push_back(rewrite_shared(a, replace, done));
      changed = changed || args.back().get() != a.get();
    }
    if (changed) out = with_args(e, std::move(args));
  }
  // A node that folded into one of its arguments has been seen already (a substitution must not be applied twice).
  if (out->op == e->op)
    if (Expr r = replace(out)) out = std::move(r);
  done.emplace(e.get(), out);
  return out;
}
}  // namespace

Expr make_broadcast(const Expr& e, int lanes) {
  if (e->lanes == lanes) return e;
  TLM_CHECK(e->lanes == 1) << e->lanes << " lanes to " << lanes;
  ExprNode n;
  n.op = Op::kRamp;
  n.dtype = e->dtype;
  n.lanes = lanes;
  n.ival = 0;
  n.args = {e};
  return node(std::move(n));
}

Expr make_vector(std::vector<Expr> scalars) {
  TLM_CHECK(scalars.size() > 1);
  bool same = true;
  for (const Expr& s : scalars) {
    TLM_CHECK(s->lanes == 1 && s->dtype == scalars[0]->dtype);
    same = same && equal(s, scalars[0]);
  }
  if (same) return make_broadcast(scalars[0], static_cast<int>(scalars.size()));
  ExprNode n;
  n.op = Op::kVector;
  n.dtype = scalars[0]->dtype;
  n.lanes = static_cast<int>(scalars.size());
  n.args = std::move(scalars);
  return node(std::move(n));
}

Expr make_lane(const Expr& vector, int lane) {
  if (vector->lanes == 1) return vector;
  TLM_CHECK(lane >= 0 && lane < vector->lanes) << "lane " << lane << " of " << vector->lanes;
  if (vector->op == Op::kVector) return vector->args[static_cast<size_t>(lane)];
  if (vector->op == Op::kRamp) return vector->ival == 0 ? vector->args[0] : vector->args[0] + vector->ival * lane;
  ExprNode n;
  n.op = Op::kLane;
  n.dtype = vector->dtype;
  n.ival = lane;
  n.args = {vector};
  return node(std::move(n));
}

Expr make_vector_load(int buffer, DType t, std::vector<Expr> indices, int lanes, int active) {
  ExprNode n;
  n.op = Op::kLoad;
  n.dtype = t;
  n.lanes = lanes;
  n.ival = active == lanes ? 0 : active;
  n.id = buffer;
  n.args = std::move(indices);
  return node(std::move(n));
}

Expr with_args(const Expr& e, std::vector<Expr> args) {
  switch (e->op) {
    case Op::kLoad:
    case Op::kRamp:
    case Op::kVector: {
      ExprNode n = *e;
      n.args = std::move(args);
      return node(std::move(n));
    }
    case Op::kLane: return make_lane(args[0], static_cast<int>(e->ival));
    case Op::kCast: return make_cast(args[0], e->dtype);
    case Op::kSelect: return make_select(args[0], args[1], args[2]);
    default: return make_op(e->op, std::move(args));
  }
}

Expr rewrite_expr(const Expr& e, const std::function<Expr(const Expr&)>& replace) {
  std::unordered_map<const ExprNode*, Expr> done;
  return rewrite_shared(e, replace, done);
}

Expr substitute_var(const Expr& e, int var, const Expr& value) {
  return rewrite_expr(e, [&](const Expr& n) { return n->op == Op::kVar && n->id == var ? value : Expr(); });
}

bool any_node(const Expr& e, const std::function<bool(const Expr&)>& test) {
  bool found = false;
  visit(e, [&](const Expr& n) { found = found || test(n); });
  return found;
}

bool uses_var(const Expr& e, int var) {
  return any_node(e, [var](const Expr& n) { return n->op == Op::kVar && n->id == var; });
}

Stmt map_exprs(const Stmt& s, const std::function<Expr(const Expr&)>& f) {
  StmtNode n = *s;
  if (n.extent) n.extent = f(n.extent);
  if (n.value) n.value = f(n.value);
  for (Expr& i : n.indices) i = f(i);
  for (Stmt& b : n.body) b = map_exprs(b, f);
  return statement(std::move(n));
}

Stmt map_stmts(const Stmt& s, const std::function<Stmt(const Stmt&)>& f) {
  StmtNode n = *s;
  std::vector<Stmt> body;
  for (const Stmt& b : n.body) {
    Stmt mapped = map_stmts(b, f);
    if (mapped) {
      body.push_back(std::move(mapped));
    } else if (n.kind != StmtKind::kBlock) {
      body.push_back(make_block({}));
    }
  }
  n.body = std::move(body);
  if (n.kind == StmtKind::kBlock) return f(flat_block(std::move(n.body)));
  return f(statement(std::move(n)));
}

Stmt map_runs(const Stmt& s, const std::function<void(const std::vector<Stmt>& run, std::vector<Stmt>& out)>& f) {
  std::vector<Stmt> out, run;
  const auto flush = [&] {
    f(run, out);
    run.clear();
  };
  for (const Stmt& t : statements(s)) {
    if (t->body.empty()) {
      run.push_back(t);
      continue;
    }
    flush();
    StmtNode n = *t;
    for (Stmt& b : n.body) b = map_runs(b, f);
    out.push_back(std::make_shared<const StmtNode>(std::move(n)));
  }
  flush();
  return flat_block(std::move(out));
}

void visit_stmts(const Stmt& s, const std::function<void(const Stmt&)>& f) {
  f(s);
  for (const Stmt& b : s->body) visit_stmts(b, f);
}

void visit_exprs(const Stmt& s, const std::function<void(const Expr&)>& f) {
  visit_stmts(s, [&](const Stmt& t) {
    if (t->extent) f(t->extent);
    for (const Expr& i : t->indices) f(i);
    if (t->value) f(t->value);
  });
}

Stmt flat_block(std::vector<Stmt> body) {
  std::vector<Stmt> flat;
  for (Stmt& s : body) {
    if (!s) continue;
    if (s->kind == StmtKind::kBlock) {
      for (const Stmt& inner : s->body) flat.push_back(inner);
    } else {
      flat.push_back(std::move(s));
    }
  }
  if (flat.size() == 1) return flat[0];
  return make_block(std::move(flat));
}

std::vector<Stmt> statements(const Stmt& s) {
  if (s->kind == StmtKind::kBlock) return s->body;
  return {s};
}

std::vector<int64_t> variable_extents(const Kernel& k) {
  std::vector<int64_t> extents(k.vars.size(), 1);
  for (const Phase& p : k.phases) {
    visit_stmts(p.body, [&](const Stmt& s) {
      if (s->kind != StmtKind::kFor) return;
      const auto range = bounds(s->extent, extents);
      TLM_CHECK(range) << "extent of loop " << k.vars[static_cast<size_t>(s->var)] << " has no bound";
      extents[static_cast<size_t>(s->var)] = std::max<int64_t>(range->hi, 1);
    });
  }
  return extents;
}

NarrowedRanges::NarrowedRanges(std::vector<int64_t>& extents, const Expr& condition) : extents_(extents), before_(extents) {
  if (condition->op != Op::kLt || condition->args[0]->dtype != DType::kI64) return;
  const Linear difference = linearize(condition->args[0]) + linearize(condition->args[1]) * -1;  // < 0
  for (const auto& [atom, k] : difference.terms)
    if (atom->op != Op::kVar || k < 0) return;
  for (const auto& [atom, k] : difference.terms) {
    int64_t& extent = extents_[static_cast<size_t>(atom->id)];
    if (difference.constant < 0) extent = std::max<int64_t>(1, std::min(extent, (-difference.constant - 1) / k + 1));
  }
}

}  // namespace tlm::codegen
