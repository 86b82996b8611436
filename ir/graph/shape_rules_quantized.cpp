// Quantisation. Scales and zero points are scalars, or one for each index of `axis`.
#include "tlm/ir/graph/onnx_dtype.h"
#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

// Scale (input 1) and zero point (input 2) fit x; a scalar scale has no axis, which canonical form writes as 0.
void check_scale(RuleContext& c) {
  const Shape& scale = c.shape(1);
  if (c.node().attr_int("block_size", 0) != 0) c.unsupported("blocked quantisation");
  c.node().attrs.erase("block_size");
  if (scale.size() > 1) c.unsupported("scale of shape " + to_string(scale));
  if (element_count(scale) == 1) {
    c.set("axis", int64_t{0});
  } else {
    const int64_t axis = c.axis_attr("axis", c.rank(0));
    if (scale[0] != c.shape(0)[static_cast<size_t>(axis)])
      c.fail("scale of shape " + to_string(scale) + " does not fit axis " + std::to_string(axis) + " of shape " +
             to_string(c.shape(0)));
  }
  if (c.has(2) && element_count(c.shape(2)) != element_count(scale))
    c.fail("zero point of shape " + to_string(c.shape(2)) + " and scale of shape " + to_string(scale) + " differ");
}

}  // namespace

void rule_quantize(RuleContext& c) {
  check_scale(c);
  DType t = c.has(2) ? c.dtype(2) : DType::kU8;
  if (const int64_t number = c.node().attr_int("output_dtype", 0)) {
    const auto wanted = dtype_of_onnx(number);
    if (!wanted) c.unsupported("element type " + onnx_dtype_name(number));
    if (c.has(2) && *wanted != t)
      c.fail("output_dtype " + onnx_dtype_name(number) + " and the zero point's type " + std::string(dtype_name(t)) + " differ");
    t = *wanted;
  }
  if (!is_integer(t)) c.fail("zero point has type " + std::string(dtype_name(t)) + "; an integer type is needed");
  c.output(0, t, c.shape(0));
}

void rule_dequantize(RuleContext& c) {
  check_scale(c);
  if (!is_integer(c.dtype(0))) c.fail("input has type " + std::string(dtype_name(c.dtype(0))) + "; an integer type is needed");
  if (c.has(2)) c.require_same_dtype(0, 2);
  c.output(0, c.dtype(1), c.shape(0));
}

void rule_dynamic_quantize(RuleContext& c) {
  if (c.dtype(0) != DType::kF32) c.fail("input has type " + std::string(dtype_name(c.dtype(0))) + "; f32 is needed");
  c.output(0, DType::kU8, c.shape(0));
  c.output(1, DType::kF32, {});
  c.output(2, DType::kU8, {});
}

}  // namespace tlm::ir
