// Point by point operators: the output has the broadcast shape of the inputs.
#include "tlm/ir/graph/onnx_dtype.h"
#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

bool is_number(DType t) { return t != DType::kBool; }

void require(RuleContext& c, int i, bool (*accepts)(DType), const char* kind) {
  if (!accepts(c.dtype(i)))
    c.fail("input '" + c.g.value(c.input(i)).name + "' has type " + std::string(dtype_name(c.dtype(i))) + "; " + kind +
           " is needed");
}

void unary(RuleContext& c, bool (*accepts)(DType), const char* kind) {
  require(c, 0, accepts, kind);
  c.output(0, c.dtype(0), c.shape(0));
}

// All inputs of one accepted type; the output has type `out`, or theirs.
void nary(RuleContext& c, bool (*accepts)(DType), const char* kind, const DType* out = nullptr) {
  for (int i = 0; i < c.inputs(); ++i) {
    require(c, i, accepts, kind);
    c.require_same_dtype(0, i);
  }
  c.output(0, out ? *out : c.dtype(0), c.broadcast(0, c.inputs() - 1));
}

constexpr DType kBoolType = DType::kBool;

}  // namespace

void rule_unary_float(RuleContext& c) { unary(c, is_float, "a floating-point type"); }

void rule_unary_numeric(RuleContext& c) { unary(c, is_number, "a number"); }

void rule_unary_any(RuleContext& c) { c.output(0, c.dtype(0), c.shape(0)); }

void rule_not(RuleContext& c) {
  unary(
      c, [](DType t) { return t == DType::kBool; }, "bool");
}

void rule_bitwise_not(RuleContext& c) { unary(c, is_integer, "an integer type"); }

void rule_float_test(RuleContext& c) {
  require(c, 0, is_float, "a floating-point type");
  c.output(0, DType::kBool, c.shape(0));
}

void rule_arithmetic(RuleContext& c) { nary(c, is_number, "a number"); }

void rule_pow(RuleContext& c) {
  require(c, 0, is_number, "a number");
  require(c, 1, is_number, "a number");
  c.output(0, c.dtype(0), c.broadcast(0, 1));
}

void rule_logic(RuleContext& c) {
  nary(
      c, [](DType t) { return t == DType::kBool; }, "bool", &kBoolType);
}

void rule_bitwise(RuleContext& c) { nary(c, is_integer, "an integer type"); }

void rule_bit_shift(RuleContext& c) {
  const std::string direction = c.node().attr_string("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") c.fail("direction is '" + direction + "', neither LEFT nor RIGHT");
  nary(
      c, [](DType t) { return is_integer(t) && !is_signed_int(t); }, "an unsigned integer type");
}

void rule_equal(RuleContext& c) {
  nary(
      c, [](DType) { return true; }, "any type", &kBoolType);
}

void rule_compare(RuleContext& c) { nary(c, is_number, "a number", &kBoolType); }

void rule_prelu(RuleContext& c) {
  require(c, 0, is_number, "a number");
  c.require_same_dtype(0, 1);
  if (c.broadcast(0, 1) != c.shape(0))
    c.fail("slope of shape " + to_string(c.shape(1)) + " does not broadcast to input of shape " + to_string(c.shape(0)));
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_where(RuleContext& c) {
  if (c.dtype(0) != DType::kBool) c.fail("condition has type " + std::string(dtype_name(c.dtype(0))) + "; bool is needed");
  c.require_same_dtype(1, 2);
  c.output(0, c.dtype(1), c.broadcast(0, 2));
}

void rule_clip(RuleContext& c) {
  require(c, 0, is_number, "a number");
  for (int i = 1; i <= 2; ++i) {
    if (!c.has(i)) continue;
    c.require_same_dtype(0, i);
    if (element_count(c.shape(i)) != 1)
      c.fail(std::string(i == 1 ? "min" : "max") + " has shape " + to_string(c.shape(i)) + "; a scalar is needed");
  }
  c.keep_inputs(3);
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_cast(RuleContext& c) {
  const auto to = dtype_of_onnx(c.attr_int("to"));
  if (!to) c.unsupported("cast to " + onnx_dtype_name(c.attr_int("to")));
  c.output(0, *to, c.shape(0));
}

void rule_cast_like(RuleContext& c) {
  const DType to = c.dtype(1);
  c.node().op = OpKind::kCast;
  c.node().attrs.clear();
  c.set("to", onnx_of_dtype(to));
  c.keep_inputs(1);
  c.output(0, to, c.shape(0));
}

// Inference only: the identity, and a mask of true.
void rule_dropout(RuleContext& c) {
  if (c.has(2)) {
    const Tensor* training = c.constant(2);
    if (!training) c.unsupported("training_mode is not constant");
    const bool identity = training->size() != 1 || training->at_i64(0) == 0 ||
                          (c.has(1) && c.constant(1) && c.constant(1)->size() == 1 && c.constant(1)->at_f64(0) == 0);
    if (!identity) c.unsupported("training");
  }
  c.output(0, c.dtype(0), c.shape(0));
  c.output(1, DType::kBool, c.shape(0));
}

}  // namespace tlm::ir
