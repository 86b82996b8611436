// Activation functions, from the operators' definitions in the ONNX specification.
#include <cmath>

#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

Expr softplus(const Expr& x) {  // log(1 + e^x) without overflow
  return maximum(x, like(0, x)) + unary(Op::kLog, like(1, x) + unary(Op::kExp, unary(Op::kNeg, unary(Op::kAbs, x))));
}

Expr hard_sigmoid(const Expr& x, double alpha, double beta) {
  return maximum(like(0, x), minimum(like(1, x), x * like(alpha, x) + like(beta, x)));
}

Expr gelu(const NodeLowering& l, const Expr& x) {
  std::string approximate = l.node.attr_string("approximate", "none");
  if (approximate == "tanh") {
    Expr inner = like(std::sqrt(2 / M_PI), x) * (x + like(0.044715, x) * (x * x * x));
    return like(0.5, x) * x * (like(1, x) + unary(Op::kTanh, inner));
  }
  if (approximate != "none") l.unsupported_attr("approximate", approximate);
  return like(0.5, x) * x * (like(1, x) + unary(Op::kErf, x * like(std::sqrt(0.5), x)));
}

Expr shrink(const Expr& x, double lambda, double bias) {
  Expr above = make_select(less(like(lambda, x), x), x - like(bias, x), like(0, x));
  if (!is_float(x->dtype) && !is_signed_int(x->dtype)) return above;  // nothing lies below -lambda
  return make_select(less(x, like(-lambda, x)), x + like(bias, x), above);
}

Expr value(const NodeLowering& l, const Expr& x) {
  Expr zero = like(0, x), one = like(1, x);
  auto f = [&](const char* name, double otherwise) { return l.node.attr_float(name, otherwise); };
  auto exp_minus_one = [&](const Expr& e) { return unary(Op::kExp, e) - one; };
  switch (l.node.op) {
    case OpKind::kRelu: return maximum(x, zero);
    case OpKind::kLeakyRelu: return make_select(less(x, zero), x * like(f("alpha", 0.01), x), x);
    case OpKind::kThresholdedRelu: return make_select(less(like(f("alpha", 1), x), x), x, zero);
    case OpKind::kElu: return make_select(less(x, zero), like(f("alpha", 1), x) * exp_minus_one(x), x);
    case OpKind::kCelu: {
      Expr alpha = like(f("alpha", 1), x);
      return maximum(x, zero) + minimum(zero, alpha * exp_minus_one(divide(x, alpha)));
    }
    case OpKind::kSelu: {
      Expr negative = like(f("alpha", 1.67326319217681884765625), x) * exp_minus_one(x);
      return like(f("gamma", 1.05070102214813232421875), x) * make_select(less(zero, x), x, negative);
    }
    case OpKind::kSigmoid: return divide(one, one + unary(Op::kExp, unary(Op::kNeg, x)));
    case OpKind::kHardSigmoid: return hard_sigmoid(x, f("alpha", 0.2), f("beta", 0.5));
    case OpKind::kHardSwish: return x * hard_sigmoid(x, 1.0 / 6, 0.5);
    case OpKind::kSoftplus: return softplus(x);
    case OpKind::kSoftsign: return divide(x, one + unary(Op::kAbs, x));
    case OpKind::kMish: return x * unary(Op::kTanh, softplus(x));
    case OpKind::kGelu: return gelu(l, x);
    case OpKind::kShrink: return shrink(x, f("lambd", 0.5), f("bias", 0));
    default: break;
  }
  TLM_CHECK(false) << "no expression for " << op_kind_name(l.node.op);
  return {};
}

}  // namespace

void lower_activation(NodeLowering& l) {
  Operand x = l.operand(0);
  if (l.node.op == OpKind::kPRelu) {
    Operand slope = l.operand(1);
    map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
      Expr e = x.at(at);
      return make_select(less(e, like(0, e)), e * read_broadcast(slope, at), e);
    });
    return;
  }
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return value(l, x.at(at)); });
}

}  // namespace tlm::ir
