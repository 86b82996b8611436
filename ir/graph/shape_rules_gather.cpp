// Operators that address by indices from a tensor.
#include <algorithm>

#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

void need_indices(RuleContext& c, int i) {
  if (c.dtype(i) != DType::kI64 && c.dtype(i) != DType::kI32)
    c.fail("indices have type " + std::string(dtype_name(c.dtype(i))) + "; i32 or i64 is needed");
}

void need_reduction(RuleContext& c) {
  const std::string r = c.node().attr_string("reduction", "none");
  if (r != "none" && r != "add" && r != "mul" && r != "max" && r != "min")
    c.fail("reduction is '" + r + "'; none, add, mul, max and min exist");
}

// Indices that address along `axis` must stay inside the data along all the others.
void need_inside(RuleContext& c, const Shape& data, const Shape& indices, size_t axis) {
  bool fits = data.size() == indices.size();
  for (size_t d = 0; fits && d < data.size(); ++d) fits = d == axis || indices[d] <= data[d];
  if (!fits)
    c.fail("indices of shape " + to_string(indices) + " do not fit data of shape " + to_string(data) + " with axis " +
           std::to_string(axis));
}

}  // namespace

void rule_gather(RuleContext& c) {
  c.require_rank(0, 1);
  need_indices(c, 1);
  const auto axis = static_cast<std::ptrdiff_t>(c.axis_attr("axis", c.rank(0)));
  const Shape &x = c.shape(0), &indices = c.shape(1);
  if (x[static_cast<size_t>(axis)] == 0 && element_count(indices) != 0)
    c.fail("axis " + std::to_string(axis) + " of shape " + to_string(x) + " is empty");
  Shape y(x.begin(), x.begin() + axis);
  y.insert(y.end(), indices.begin(), indices.end());
  y.insert(y.end(), x.begin() + axis + 1, x.end());
  c.output(0, c.dtype(0), std::move(y));
}

void rule_gather_elements(RuleContext& c) {
  c.require_rank(0, 1);
  need_indices(c, 1);
  need_inside(c, c.shape(0), c.shape(1), static_cast<size_t>(c.axis_attr("axis", c.rank(0))));
  c.output(0, c.dtype(0), c.shape(1));
}

void rule_gather_nd(RuleContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  need_indices(c, 1);
  const Shape &x = c.shape(0), &indices = c.shape(1);
  const int64_t batch = c.attr_int("batch_dims");
  if (batch < 0 || batch >= std::min(c.rank(0), c.rank(1)))
    c.fail("batch_dims is " + std::to_string(batch) + " for shapes " + to_string(x) + " and " + to_string(indices));
  for (int64_t d = 0; d < batch; ++d)
    if (x[static_cast<size_t>(d)] != indices[static_cast<size_t>(d)])
      c.fail("batch dimensions of shapes " + to_string(x) + " and " + to_string(indices) + " differ");
  const int64_t depth = indices.back();
  if (depth < 1 || depth > c.rank(0) - batch)
    c.fail("indices of shape " + to_string(indices) + " address " + std::to_string(depth) + " dimensions of shape " +
           to_string(x));
  Shape y(indices.begin(), indices.end() - 1);
  y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(batch + depth), x.end());
  c.output(0, c.dtype(0), std::move(y));
}

void rule_scatter_elements(RuleContext& c) {
  c.require_rank(0, 1);
  need_indices(c, 1);
  c.require_same_dtype(0, 2);
  c.node().op = OpKind::kScatterElements;  // Scatter is its former name
  need_reduction(c);
  c.set("reduction", c.node().attr_string("reduction", "none"));
  need_inside(c, c.shape(0), c.shape(1), static_cast<size_t>(c.axis_attr("axis", c.rank(0))));
  if (c.shape(1) != c.shape(2))
    c.fail("indices of shape " + to_string(c.shape(1)) + " and updates of shape " + to_string(c.shape(2)) + " differ");
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_scatter_nd(RuleContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  need_indices(c, 1);
  c.require_same_dtype(0, 2);
  need_reduction(c);
  const Shape &x = c.shape(0), &indices = c.shape(1);
  const int64_t depth = indices.back();
  if (depth < 1 || depth > c.rank(0))
    c.fail("indices of shape " + to_string(indices) + " address " + std::to_string(depth) + " dimensions of shape " +
           to_string(x));
  Shape updates(indices.begin(), indices.end() - 1);
  updates.insert(updates.end(), x.begin() + static_cast<std::ptrdiff_t>(depth), x.end());
  if (c.shape(2) != updates) c.fail("updates have shape " + to_string(c.shape(2)) + "; " + to_string(updates) + " is needed");
  c.output(0, c.dtype(0), x);
}

// From ONNX [indices, depth, values], or canonical [indices, values] with attribute depth.
void rule_one_hot(RuleContext& c) {
  if (!c.has_attr("depth")) {
    const Tensor* depth = c.constant(1);
    if (!depth) c.data_dependent("depth");
    if (depth->size() != 1) c.fail("depth has shape " + to_string(depth->shape()) + "; a scalar is needed");
    c.set("depth", depth->at_i64(0));
    c.node().inputs = {c.input(0), c.input(2)};
  }
  const int64_t depth = c.attr_int("depth");
  if (depth < 1) c.fail("depth is " + std::to_string(depth));
  if (c.shape(1) != Shape{2}) c.fail("values have shape " + to_string(c.shape(1)) + "; [2] is needed");
  const int64_t axis = c.axis_attr("axis", c.rank(0) + 1);
  Shape y = c.shape(0);
  y.insert(y.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  c.output(0, c.dtype(1), std::move(y));
}

// A constant condition makes it Gather. (Without axis x is flattened first: the reader inserts a Reshape.)
void rule_compress(RuleContext& c) {
  const Tensor* condition = c.constant(1);
  if (!condition) c.data_dependent("condition");
  if (condition->dtype() != DType::kBool || condition->shape().size() != 1)
    c.fail("condition has type " + std::string(dtype_name(condition->dtype())) + " and shape " + to_string(condition->shape()) +
           "; bool [n] is needed");
  if (!c.has_attr("axis")) {
    if (c.rank(0) != 1) c.unsupported("without axis for input of shape " + to_string(c.shape(0)));
    c.set("axis", int64_t{0});
  }
  const int64_t axis = c.axis_attr("axis", c.rank(0));
  const int64_t extent = c.shape(0)[static_cast<size_t>(axis)];
  if (condition->size() > extent)
    c.fail("condition has " + std::to_string(condition->size()) + " elements; axis " + std::to_string(axis) + " has extent " +
           std::to_string(extent));
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < condition->size(); ++i)
    if (condition->at_i64(i)) kept.push_back(i);
  const ValueId x = c.input(0);
  const ValueId indices = c.g.add_constant(c.g.value(c.input(1)).name + "_indices", Tensor::vector_i64(kept));
  Node& n = c.node();
  n.op = OpKind::kGather;
  n.inputs = {x, indices};
  rule_gather(c);
}

}  // namespace tlm::ir
