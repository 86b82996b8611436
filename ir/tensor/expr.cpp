#include "tlm/ir/tensor/expr.h"

#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/scalar.h"

namespace tlm::ir {
namespace {

struct OpInfo {
  const char* name;
  int arity;
};
constexpr OpInfo kOps[] = {
#define X(name, text, arity) {text, arity},
    TLM_EXPR_OPS(X)
#undef X
};

Expr make_node(ExprNode node) { return Expr(std::make_shared<const ExprNode>(std::move(node))); }

bool is_literal(const Expr& e) { return e->op == Op::kInt || e->op == Op::kFloat; }
bool is_float_literal(const Expr& e, double v) { return e->op == Op::kFloat && e->fval == v; }

Scalar literal_value(const Expr& e) {
  Scalar s;
  if (e->op == Op::kInt) {
    s.i = e->ival;
  } else {
    s.f = e->fval;
  }
  return s;
}

Expr make_literal(Scalar v, DType t) { return is_float(t) ? make_float(v.f, t) : make_int(v.i, t); }

int common_lanes(const std::vector<Expr>& args) {
  int lanes = 1;
  for (const Expr& a : args) {
    TLM_CHECK(a) << "empty argument";
    TLM_CHECK(a->lanes == 1 || lanes == 1 || a->lanes == lanes) << a->lanes << " lanes against " << lanes;
    if (a->lanes > 1) lanes = a->lanes;
  }
  return lanes;
}

// x op 0, x op 1 and the like, when that is exactly x (or a literal). Empty if there is nothing to fold.
Expr fold_neutral(Op op, const Expr& a, const Expr& b) {
  const bool integer = !is_float(a->dtype);
  switch (op) {
    case Op::kAdd:
      if (integer && is_int(b, 0)) return a;
      if (integer && is_int(a, 0)) return b;
      break;
    case Op::kSub:
      if (is_int(b, 0) || (is_float_literal(b, 0) && !std::signbit(b->fval))) return a;
      break;
    case Op::kMul:
      if (is_int(b, 1) || is_float_literal(b, 1)) return a;
      if (is_int(a, 1) || is_float_literal(a, 1)) return b;
      if (is_int(a, 0) || is_int(b, 0)) return make_int(0, a->dtype);
      break;
    case Op::kDiv:
    case Op::kFloorDiv:
      if (is_int(b, 1) || (op == Op::kDiv && is_float_literal(b, 1))) return a;
      if (is_int(a, 0)) return a;
      break;
    case Op::kMod:
    case Op::kFloorMod:
      if (is_int(b, 1) || is_int(a, 0)) return make_int(0, a->dtype);
      break;
    case Op::kMin:
    case Op::kMax:
      if (equal(a, b)) return a;
      break;
    case Op::kAnd:
      if (is_int(a, 0) || is_int(b, 1)) return a;
      if (is_int(b, 0) || is_int(a, 1)) return b;
      break;
    case Op::kOr:
      if (is_int(a, 1) || is_int(b, 0)) return a;
      if (is_int(b, 1) || is_int(a, 0)) return b;
      break;
    default: break;
  }
  return {};
}

// Integers: a literal stands on the right, and (x + c) + d is x + (c + d); exact because integers wrap.
Expr gather_constants(Op op, const Expr& a, const Expr& b) {
  if (is_float(a->dtype) || (op != Op::kAdd && op != Op::kMul && op != Op::kSub)) return {};
  if (op == Op::kSub) {
    if (b->op != Op::kInt) return {};
    return make_op(Op::kAdd,
                   {a, make_int(wrap_int(static_cast<int64_t>(0 - static_cast<uint64_t>(b->ival)), b->dtype), b->dtype)});
  }
  if (a->op == Op::kInt && b->op != Op::kInt) return make_op(op, {b, a});
  if (b->op == Op::kInt && a->op == op && a->args[1]->op == Op::kInt && a->lanes == a->args[0]->lanes)
    return make_op(op, {a->args[0], make_op(op, {a->args[1], b})});
  return {};
}

}  // namespace

const char* op_name(Op op) { return kOps[static_cast<int>(op)].name; }
int op_arity(Op op) { return kOps[static_cast<int>(op)].arity; }

std::optional<Op> parse_op(const std::string& name) {
  static const auto* table = [] {
    auto* t = new std::unordered_map<std::string, Op>;
    for (size_t i = 0; i < std::size(kOps); ++i) t->emplace(kOps[i].name, static_cast<Op>(i));
    return t;
  }();
  auto it = table->find(name);
  if (it == table->end()) return std::nullopt;
  return it->second;
}

DType result_type(Op op, DType args) {
  switch (op) {
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kIsNan:
    case Op::kIsInf: return DType::kBool;
    default: return args;
  }
}

Expr make_int(int64_t v, DType t) {
  TLM_CHECK(!is_float(t)) << "integer literal of type " << dtype_name(t);
  ExprNode n;
  n.op = Op::kInt;
  n.dtype = t;
  n.ival = wrap_int(v, t);
  return make_node(std::move(n));
}

Expr make_float(double v, DType t) {
  TLM_CHECK(is_float(t)) << "float literal of type " << dtype_name(t);
  ExprNode n;
  n.op = Op::kFloat;
  n.dtype = t;
  n.fval = std::isnan(v) ? std::numeric_limits<double>::quiet_NaN() : round_float(v, t);  // one NaN, whatever its bits
  return make_node(std::move(n));
}

Expr make_const(double v, DType t) {
  Scalar s;
  s.f = v;
  return make_literal(cast_scalar(s, DType::kF64, t), t);
}

Expr make_var(int id) {
  ExprNode n;
  n.op = Op::kVar;
  n.id = id;
  return make_node(std::move(n));
}

Expr make_acc(int id, DType t) {
  ExprNode n;
  n.op = Op::kAcc;
  n.dtype = t;
  n.id = id;
  return make_node(std::move(n));
}

Expr make_load(int tensor, DType t, std::vector<Expr> indices) {
  ExprNode n;
  n.op = Op::kLoad;
  n.dtype = t;
  n.id = tensor;
  n.lanes = common_lanes(indices);
  for (const Expr& i : indices) TLM_CHECK(i->dtype == DType::kI64) << "index of type " << dtype_name(i->dtype);
  n.args = std::move(indices);
  return make_node(std::move(n));
}

Expr make_ramp(Expr base, int64_t stride, int lanes) {
  if (lanes == 1) return base;
  TLM_CHECK(base->lanes == 1 && (stride == 0 || base->dtype == DType::kI64)) << "base of a ramp";
  ExprNode n;
  n.op = Op::kRamp;
  n.dtype = base->dtype;
  n.lanes = lanes;
  n.ival = stride;
  n.args = {std::move(base)};
  return make_node(std::move(n));
}

Expr make_op(Op op, std::vector<Expr> args) {
  TLM_CHECK(op_arity(op) == static_cast<int>(args.size())) << op_name(op) << " with " << args.size() << " arguments";
  if (op == Op::kSelect) return make_select(args[0], args[1], args[2]);
  TLM_CHECK(op >= Op::kAdd && op != Op::kCast) << op_name(op) << " has a builder of its own";
  const int lanes = common_lanes(args);
  const DType t = args[0]->dtype;
  bool literals = true;
  for (const Expr& a : args) {
    TLM_CHECK(a->dtype == t) << op_name(op) << " of " << dtype_name(t) << " and " << dtype_name(a->dtype);
    literals = literals && is_literal(a);
  }
  if (literals) {
    Scalar v[3];
    for (size_t i = 0; i < args.size(); ++i) v[i] = literal_value(args[i]);
    return make_literal(apply(op, t, v), result_type(op, t));
  }
  if (args.size() == 2) {
    if (Expr e = fold_neutral(op, args[0], args[1]); e && e->lanes == lanes) return e;
    if (Expr e = gather_constants(op, args[0], args[1]); e && e->lanes == lanes) return e;
  }
  if ((op == Op::kNot || op == Op::kNeg || op == Op::kBitNot) && args[0]->op == op) return args[0]->args[0];
  ExprNode n;
  n.op = op;
  n.dtype = result_type(op, t);
  n.lanes = lanes;
  n.args = std::move(args);
  return make_node(std::move(n));
}

Expr make_select(Expr c, Expr a, Expr b) {
  const int lanes = common_lanes({c, a, b});
  TLM_CHECK(c->dtype == DType::kBool) << "condition of type " << dtype_name(c->dtype);
  TLM_CHECK(a->dtype == b->dtype) << "select of " << dtype_name(a->dtype) << " and " << dtype_name(b->dtype);
  if (c->op == Op::kInt) {
    const Expr& chosen = c->ival ? a : b;
    if (chosen->lanes == lanes) return chosen;
  }
  if (a->lanes == lanes && equal(a, b)) return a;
  ExprNode n;
  n.op = Op::kSelect;
  n.dtype = a->dtype;
  n.lanes = lanes;
  n.args = {std::move(c), std::move(a), std::move(b)};
  return make_node(std::move(n));
}

Expr make_cast(Expr a, DType t) {
  if (a->dtype == t) return a;
  if (is_literal(a)) return make_literal(cast_scalar(literal_value(a), a->dtype, t), t);
  ExprNode n;
  n.op = Op::kCast;
  n.dtype = t;
  n.lanes = a->lanes;
  n.args = {std::move(a)};
  return make_node(std::move(n));
}

Expr operator+(const Expr& a, const Expr& b) { return make_op(Op::kAdd, {a, b}); }
Expr operator-(const Expr& a, const Expr& b) { return make_op(Op::kSub, {a, b}); }
Expr operator*(const Expr& a, const Expr& b) { return make_op(Op::kMul, {a, b}); }
Expr operator+(const Expr& a, int64_t b) { return make_op(Op::kAdd, {a, make_int(b, a->dtype)}); }
Expr operator-(const Expr& a, int64_t b) { return make_op(Op::kSub, {a, make_int(b, a->dtype)}); }
Expr operator*(const Expr& a, int64_t b) { return make_op(Op::kMul, {a, make_int(b, a->dtype)}); }
Expr floor_div(const Expr& a, int64_t b) { return make_op(Op::kFloorDiv, {a, make_int(b, a->dtype)}); }
Expr floor_mod(const Expr& a, int64_t b) { return make_op(Op::kFloorMod, {a, make_int(b, a->dtype)}); }

bool is_int(const Expr& e, int64_t v) { return e->op == Op::kInt && e->ival == v; }

int compare(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return 0;
  auto three_way = [](auto x, auto y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (int c = three_way(a->op, b->op)) return c;
  if (int c = three_way(a->dtype, b->dtype)) return c;
  if (int c = three_way(a->lanes, b->lanes)) return c;
  if (int c = three_way(a->id, b->id)) return c;
  if (int c = three_way(a->ival, b->ival)) return c;
  if (a->op == Op::kFloat)
    if (int c = three_way(std::bit_cast<uint64_t>(a->fval), std::bit_cast<uint64_t>(b->fval))) return c;
  if (int c = three_way(a->args.size(), b->args.size())) return c;
  for (size_t i = 0; i < a->args.size(); ++i)
    if (int c = compare(a->args[i], b->args[i])) return c;
  return 0;
}

bool equal(const Expr& a, const Expr& b) { return compare(a, b) == 0; }

namespace {

Expr rebuild(const Expr& e, std::vector<Expr> args) {
  switch (e->op) {
    case Op::kRamp: return make_ramp(args[0], e->ival, e->lanes);
    case Op::kCast: return make_cast(args[0], e->dtype);
    case Op::kLoad:
    case Op::kVector:
    case Op::kLane: {
      ExprNode n = *e;
      if (e->op == Op::kLoad) n.lanes = common_lanes(args);
      n.args = std::move(args);
      return make_node(std::move(n));
    }
    default: return make_op(e->op, std::move(args));
  }
}

using Rewritten = std::unordered_map<const ExprNode*, Expr>;

Expr rewrite_shared(const Expr& e, const std::function<Expr(const Expr&)>& replace, Rewritten& done) {
  if (auto it = done.find(e.get()); it != done.end()) return it->second;
  Expr node = e;
  if (!e->args.empty()) {
    std::vector<Expr> args;
    args.reserve(e->args.size());
    bool changed = false;
    for (const Expr& a : e->args) {
      args.push_back(rewrite_shared(a, replace, done));
      changed = changed || args.back().get() != a.get();
    }
    if (changed) node = rebuild(e, std::move(args));
  }
  // A node that folded into one of its arguments has been seen already (a substitution must not be applied twice).
  if (node->op == e->op)
    if (Expr r = replace(node)) node = std::move(r);
  done.emplace(e.get(), node);
  return node;
}

void visit_shared(const Expr& e, const std::function<void(const Expr&)>& f, std::unordered_set<const ExprNode*>& seen) {
  if (!seen.insert(e.get()).second) return;
  f(e);
  for (const Expr& a : e->args) visit_shared(a, f, seen);
}

}  // namespace

Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& replace) {
  Rewritten done;
  return rewrite_shared(e, replace, done);
}

void visit(const Expr& e, const std::function<void(const Expr&)>& f) {
  std::unordered_set<const ExprNode*> seen;
  visit_shared(e, f, seen);
}

}  // namespace tlm::ir
