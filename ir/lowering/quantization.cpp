#include "tlm/ir/lowering/quantization.h"

#include "tlm/ir/lowering/families.h"

namespace tlm::ir {

Expr read_parameter(const Operand& p, const Expr& channel) {
  if (p.rank() == 0) return p.at({});
  Indices at(p.shape.size(), make_int(0));
  if (p.rank() == 1 && p.shape[0] != 1) at[0] = channel;
  return p.at(at);
}

Expr ZeroPoint::subtract(const Expr& x, const Expr& channel) const {
  Expr wide = make_cast(x, DType::kI32);
  return value.at ? wide - make_cast(read_parameter(value, channel), DType::kI32) : wide;
}

Expr ZeroPoint::stored(const Expr& channel, DType t) const {
  return value.at ? read_parameter(value, channel) : make_const(0, t);
}

ZeroPoint zero_point(const NodeLowering& l, int i) { return {l.has_input(i) ? l.operand(i) : Operand{}}; }

Expr quantized(const Expr& x, const Expr& zero, DType t) {
  Expr y = unary(Op::kRound, x);
  if (zero) y = y + make_cast(zero, y->dtype);
  return make_cast(y, t);  // float to integer saturates
}

namespace {

// Scale or zero point of a tensor read at `at`: a scalar, one for each index of `axis`, or one for each block of that axis.
Expr parameter(const NodeLowering& l, const Operand& p, const Indices& at, const Shape& shape) {
  if (p.rank() <= 1) {
    if (p.rank() == 0 || p.shape[0] == 1) return read_parameter(p, make_int(0));
    return p.at({at[static_cast<size_t>(l.axis(l.node.attr_int("axis", 1), static_cast<int>(shape.size())))]});
  }
  int64_t block = l.node.attr_int("block_size", 0);
  if (block == 0 || p.shape.size() != shape.size()) l.unsupported("a scale of shape " + to_string(p.shape));
  Indices from = at;
  auto axis = static_cast<size_t>(l.axis(l.node.attr_int("axis", 1), static_cast<int>(shape.size())));
  from[axis] = floor_div(at[axis], block);
  return p.at(from);
}

}  // namespace

void lower_quantize_linear(NodeLowering& l) {
  Operand x = l.operand(0), scale = l.operand(1);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr s = parameter(l, scale, at, x.shape);
    Expr zero = l.has_input(2) ? parameter(l, l.operand(2), at, x.shape) : Expr();
    return quantized(divide(make_cast(x.at(at), s->dtype), s), zero, l.out().dtype);
  });
}

void lower_dequantize_linear(NodeLowering& l) {
  Operand x = l.operand(0), scale = l.operand(1);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr s = parameter(l, scale, at, x.shape), e = make_cast(x.at(at), DType::kI32);
    if (l.has_input(2)) e = e - make_cast(parameter(l, l.operand(2), at, x.shape), DType::kI32);
    return make_cast(e, s->dtype) * s;
  });
}

// y = saturate(round(x / scale) + zero) with scale = (max(x, 0) - min(x, 0)) / 255 and zero = saturate(round(-min / scale)).
void lower_dynamic_quantize_linear(NodeLowering& l) {
  Operand x = l.operand(0);
  std::vector<bool> all(x.shape.size(), true);
  int lo = l.internal("min", x.dtype, {}), hi = l.internal("max", x.dtype, {});
  auto element = [&](const Indices& at) { return x.at(at); };
  reduce_stage(l.b, l.name("min"), lo, x.shape, all, CombinerKind::kMin, element, [](Expr e) { return minimum(e, like(0, e)); });
  reduce_stage(l.b, l.name("max"), hi, x.shape, all, CombinerKind::kMax, element, [](Expr e) { return maximum(e, like(0, e)); });
  int scale = l.has_output(1) ? l.out_tensor(1) : l.internal("scale", DType::kF32, {});
  int zero = l.has_output(2) ? l.out_tensor(2) : l.internal("zero", DType::kU8, {});
  Operand min = l.tensor_operand(lo), max = l.tensor_operand(hi), s = l.tensor_operand(scale), z = l.tensor_operand(zero);
  map_stage(l.b, l.name("scale"), scale, [&](const Indices&) { return divide(max.at({}) - min.at({}), make_float(255)); });
  map_stage(l.b, l.name("zero"), zero, [&](const Indices&) {
    return make_cast(unary(Op::kRound, divide(make_float(0) - min.at({}), s.at({}))), DType::kU8);
  });
  if (!l.has_output(0)) return;
  map_stage(l.b, l.name(), l.out_tensor(),
            [&](const Indices& at) { return quantized(divide(x.at(at), s.at({})), z.at({}), DType::kU8); });
}

}  // namespace tlm::ir
