// Reductions, scans and losses.
#include <numeric>

#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

Shape reduced(const Shape& x, const std::vector<int64_t>& axes, bool keep) {
  Shape y;
  size_t next = 0;
  for (size_t d = 0; d < x.size(); ++d) {
    const bool gone = next < axes.size() && axes[next] == static_cast<int64_t>(d);
    if (gone) ++next;
    if (!gone)
      y.push_back(x[d]);
    else if (keep)
      y.push_back(1);
  }
  return y;
}

// Labels [batch, d1 …] for scores [batch, classes, d1 …].
void check_labels(RuleContext& c) {
  c.require_rank(0, 2);
  Shape expected = c.shape(0);
  expected.erase(expected.begin() + 1);
  if (c.shape(1) != expected)
    c.fail("labels of shape " + to_string(c.shape(1)) + " do not fit scores of shape " + to_string(c.shape(0)));
  if (!is_integer(c.dtype(1))) c.fail("labels have type " + std::string(dtype_name(c.dtype(1))) + "; i32 or i64 is needed");
  if (c.has(2) && c.shape(2) != Shape{c.shape(0)[1]})
    c.fail("weights of shape " + to_string(c.shape(2)) + " do not fit " + std::to_string(c.shape(0)[1]) + " classes");
}

Shape loss_shape(RuleContext& c) {
  const std::string reduction = c.node().attr_string("reduction", "mean");
  if (reduction == "none") return c.shape(1);
  if (reduction != "mean" && reduction != "sum") c.fail("reduction is '" + reduction + "'; none, mean and sum exist");
  return {};
}

}  // namespace

void rule_reduce(RuleContext& c) {
  if (c.dtype(0) == DType::kBool) c.unsupported("reduction of bool");
  const int rank = c.rank(0);
  std::vector<int64_t> axes = c.attr_or_input("axes", 1).value_or(std::vector<int64_t>{});
  if (axes.empty() && c.attr_int("noop_with_empty_axes") == 0) {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  axes = c.normal_axes(std::move(axes), rank);
  c.set("axes", axes);
  c.set("noop_with_empty_axes", int64_t{axes.empty()});  // an empty list means none, whoever reads it again
  const bool keep = c.attr_int("keepdims") != 0;
  c.keep_inputs(1);
  c.output(0, c.dtype(0), reduced(c.shape(0), axes, keep));
}

void rule_arg_reduce(RuleContext& c) {
  c.require_rank(0, 1);
  const int64_t axis = c.axis_attr("axis", c.rank(0));
  const Shape& x = c.shape(0);
  if (x[static_cast<size_t>(axis)] == 0) c.fail("axis " + std::to_string(axis) + " of shape " + to_string(x) + " is empty");
  c.output(0, DType::kI64, reduced(x, {axis}, c.attr_int("keepdims") != 0));
}

void rule_softmax(RuleContext& c) {
  if (!is_float(c.dtype(0)))
    c.fail("input has type " + std::string(dtype_name(c.dtype(0))) + "; a floating-point type is needed");
  c.require_rank(0, 1);
  c.axis_attr("axis", c.rank(0));
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_cumsum(RuleContext& c) {
  c.require_rank(0, 1);
  if (c.has(1)) c.set("axis", c.const_int(1, "axis"));
  if (!c.has_attr("axis")) c.fail("input 1 is missing: axis");
  c.axis_attr("axis", c.rank(0));
  c.keep_inputs(1);
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_topk(RuleContext& c) {
  c.require_rank(0, 1);
  if (c.has(1)) {
    if (!c.constant(1)) c.data_dependent("K");
    c.set("k", c.const_int(1, "K"));
  }
  if (!c.has_attr("k")) c.fail("input 1 is missing: K");
  const auto axis = static_cast<size_t>(c.axis_attr("axis", c.rank(0)));
  Shape y = c.shape(0);
  const int64_t k = c.attr_int("k");
  if (k < 0 || k > y[axis])
    c.fail("K is " + std::to_string(k) + "; axis " + std::to_string(axis) + " has extent " + std::to_string(y[axis]));
  y[axis] = k;
  c.keep_inputs(1);
  c.output(0, c.dtype(0), y);
  c.output(1, DType::kI64, y);
}

void rule_nll_loss(RuleContext& c) {
  check_labels(c);
  c.output(0, c.dtype(0), loss_shape(c));
}

void rule_softmax_loss(RuleContext& c) {
  check_labels(c);
  c.output(0, c.dtype(0), loss_shape(c));
  c.output(1, c.dtype(0), c.shape(0));
}

}  // namespace tlm::ir
