// Functions of one element.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

Expr is_inf(const NodeLowering& l, const Expr& x) {
  bool negative = l.node.attr_int("detect_negative", 1) != 0, positive = l.node.attr_int("detect_positive", 1) != 0;
  Expr inf = unary(Op::kIsInf, x), zero = like(0, x);
  if (negative && positive) return inf;
  if (negative) return both(inf, less(x, zero));
  if (positive) return both(inf, less(zero, x));
  return make_int(0, DType::kBool);
}

Expr value(const NodeLowering& l, const Expr& x) {
  switch (l.node.op) {
    case OpKind::kAbs: return unary(Op::kAbs, x);
    case OpKind::kAcos: return unary(Op::kAcos, x);
    case OpKind::kAcosh: return unary(Op::kAcosh, x);
    case OpKind::kAsin: return unary(Op::kAsin, x);
    case OpKind::kAsinh: return unary(Op::kAsinh, x);
    case OpKind::kAtan: return unary(Op::kAtan, x);
    case OpKind::kAtanh: return unary(Op::kAtanh, x);
    case OpKind::kBitwiseNot: return unary(Op::kBitNot, x);
    case OpKind::kCeil: return unary(Op::kCeil, x);
    case OpKind::kCos: return unary(Op::kCos, x);
    case OpKind::kCosh: return unary(Op::kCosh, x);
    case OpKind::kErf: return unary(Op::kErf, x);
    case OpKind::kExp: return unary(Op::kExp, x);
    case OpKind::kFloor: return unary(Op::kFloor, x);
    case OpKind::kIsInf: return is_inf(l, x);
    case OpKind::kIsNaN: return unary(Op::kIsNan, x);
    case OpKind::kLog: return unary(Op::kLog, x);
    case OpKind::kNeg: return unary(Op::kNeg, x);
    case OpKind::kNot: return unary(Op::kNot, x);
    case OpKind::kReciprocal: return divide(like(1, x), x);
    case OpKind::kRound: return unary(Op::kRound, x);
    case OpKind::kSign: return unary(Op::kSign, x);
    case OpKind::kSin: return unary(Op::kSin, x);
    case OpKind::kSinh: return unary(Op::kSinh, x);
    case OpKind::kSqrt: return unary(Op::kSqrt, x);
    case OpKind::kTan: return unary(Op::kTan, x);
    case OpKind::kTanh: return unary(Op::kTanh, x);
    default: break;
  }
  TLM_CHECK(false) << "no expression for " << op_kind_name(l.node.op);
  return {};
}

}  // namespace

void lower_unary(NodeLowering& l) {
  Operand x = l.operand(0);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return value(l, x.at(at)); });
}

}  // namespace tlm::ir
