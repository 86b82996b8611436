// One stage for each node; inputs are broadcast to the output.
#include <cmath>
#include <limits>

#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

Expr binary(OpKind op, const Expr& a, const Expr& b, bool shift_left) {
  auto make = [&](Op o) { return make_op(o, {a, b}); };
  switch (op) {
    case OpKind::kAdd: return make(Op::kAdd);
    case OpKind::kSub: return make(Op::kSub);
    case OpKind::kMul: return make(Op::kMul);
    case OpKind::kDiv: return make(Op::kDiv);
    case OpKind::kAnd: return make(Op::kAnd);
    case OpKind::kOr: return make(Op::kOr);
    case OpKind::kXor: return make(Op::kNe);
    case OpKind::kEqual: return make(Op::kEq);
    case OpKind::kLess: return make(Op::kLt);
    case OpKind::kLessOrEqual: return make(Op::kLe);
    case OpKind::kGreater: return less(b, a);
    case OpKind::kGreaterOrEqual: return less_equal(b, a);
    case OpKind::kBitwiseAnd: return make(Op::kBitAnd);
    case OpKind::kBitwiseOr: return make(Op::kBitOr);
    case OpKind::kBitwiseXor: return make(Op::kBitXor);
    case OpKind::kBitShift: return make(shift_left ? Op::kShl : Op::kShr);
    default: break;
  }
  TLM_CHECK(false) << "no binary expression for " << op_kind_name(op);
  return {};
}

// x^p for small constant p without the general function.
Expr power(const Expr& x, const Expr& p) {
  if (p->op == Op::kFloat) {
    if (p->fval == 1) return x;
    if (p->fval == 2) return x * x;
    if (p->fval == 3) return x * x * x;
    if (p->fval == -1) return divide(like(1, x), x);
  }
  return make_op(Op::kPow, {x, p});
}

}  // namespace

void lower_binary(NodeLowering& l) {
  Operand a = l.operand(0), b = l.operand(1);
  bool left = l.node.attr_string("direction", "LEFT") == "LEFT";
  map_stage(l.b, l.name(), l.out_tensor(),
            [&](const Indices& at) { return binary(l.node.op, read_broadcast(a, at), read_broadcast(b, at), left); });
}

void lower_variadic(NodeLowering& l) {
  Op op = l.node.op == OpKind::kMin ? Op::kMin : l.node.op == OpKind::kMax ? Op::kMax : Op::kAdd;
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr e = read_broadcast(l.operand(0), at);
    for (int i = 1; i < l.input_count(); ++i) e = make_op(op, {e, read_broadcast(l.operand(i), at)});
    return l.node.op == OpKind::kMean && l.input_count() > 1 ? divide(e, like(l.input_count(), e)) : e;
  });
}

void lower_pow(NodeLowering& l) {
  Operand base = l.operand(0), exponent = l.operand(1);
  // Integers: in f64 (exact up to 2^53), then back to the base's type.
  DType t = is_float(base.dtype) ? base.dtype : DType::kF64;
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    return make_cast(power(make_cast(read_broadcast(base, at), t), make_cast(read_broadcast(exponent, at), t)), base.dtype);
  });
}

void lower_mod(NodeLowering& l) {
  Operand a = l.operand(0), b = l.operand(1);
  bool c_sign = l.integer("fmod") != 0;
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr x = read_broadcast(a, at), y = read_broadcast(b, at);
    if (c_sign) return make_op(Op::kMod, {x, y});
    if (!is_float(a.dtype)) return make_op(Op::kFloorMod, {x, y});
    // The remainder takes the divisor's sign.
    Expr r = make_op(Op::kMod, {x, y}), zero = like(0, r);
    Expr fix = make_op(Op::kAnd, {make_op(Op::kNe, {r, zero}), make_op(Op::kNe, {less(r, zero), less(y, zero)})});
    return make_select(fix, r + y, r);
  });
}

void lower_where(NodeLowering& l) {
  Operand c = l.operand(0), a = l.operand(1), b = l.operand(2);
  map_stage(l.b, l.name(), l.out_tensor(),
            [&](const Indices& at) { return make_select(read_broadcast(c, at), read_broadcast(a, at), read_broadcast(b, at)); });
}

void lower_clip(NodeLowering& l) {
  Operand x = l.operand(0);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr e = x.at(at);
    // A bound is a scalar, written as shape [] or [1]. The upper one wins when they cross.
    if (l.has_input(1))
      e = maximum(e, read_broadcast(l.operand(1), Indices(static_cast<size_t>(l.operand(1).rank()), make_int(0))));
    if (l.has_input(2))
      e = minimum(e, read_broadcast(l.operand(2), Indices(static_cast<size_t>(l.operand(2).rank()), make_int(0))));
    return e;
  });
}

void lower_cast(NodeLowering& l) {
  Operand x = l.stored(0);  // straight from the stored type: no rounding on the way
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return make_cast(x.at(at), l.out().dtype); });
}

}  // namespace tlm::ir
