// Operators that give the same elements another shape, and those whose value is a shape or depends on shapes only.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tlm/ir/graph/onnx_dtype.h"
#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

void rule_reshape(RuleContext& c) {
  const auto wanted = c.attr_or_input("shape", 1);
  if (!wanted) c.fail("input 1 is missing: shape");
  const Shape& x = c.shape(0);
  const bool copy_zero = c.attr_int("allowzero") == 0;
  Shape y;
  int64_t known = 1;
  int free_dim = -1;
  for (size_t d = 0; d < wanted->size(); ++d) {
    int64_t extent = (*wanted)[d];
    if (extent == 0 && copy_zero) {
      if (d >= x.size())
        c.fail("shape " + to_string(*wanted) + " copies dimension " + std::to_string(d) + " of input of shape " + to_string(x));
      extent = x[d];
    }
    if (extent < -1 || (extent == -1 && free_dim >= 0)) c.fail("shape " + to_string(*wanted) + " is not a shape");
    if (extent == -1)
      free_dim = static_cast<int>(d);
    else
      known = checked_mul(c, known, extent);
    y.push_back(extent);
  }
  const int64_t size = element_count(x);
  if (free_dim >= 0) {
    if (known == 0 ? size != 0 : size % known != 0)
      c.fail("input of shape " + to_string(x) + " does not reshape to " + to_string(*wanted));
    y[static_cast<size_t>(free_dim)] = known == 0 ? 0 : size / known;
  } else if (known != size) {
    c.fail("input of shape " + to_string(x) + " has " + std::to_string(size) + " elements; shape " + to_string(*wanted) +
           " has " + std::to_string(known));
  }
  c.set("shape", y);
  c.set("allowzero", int64_t{1});  // an extent 0 in `shape` is meant
  c.keep_inputs(1);
  c.output(0, c.dtype(0), std::move(y));
}

void rule_flatten(RuleContext& c) {
  const auto axis = static_cast<size_t>(c.axis_attr("axis", c.rank(0), true));
  const Shape& x = c.shape(0);
  Shape y = {product(c, x, 0, axis), product(c, x, axis, x.size())};
  c.output(0, c.dtype(0), std::move(y));
}

void rule_squeeze(RuleContext& c) {
  const Shape& x = c.shape(0);
  std::vector<int64_t> axes;
  if (const auto given = c.attr_or_input("axes", 1)) {
    axes = c.normal_axes(*given, c.rank(0));
  } else {
    for (size_t d = 0; d < x.size(); ++d)
      if (x[d] == 1) axes.push_back(static_cast<int64_t>(d));
  }
  Shape y;
  for (size_t d = 0; d < x.size(); ++d) {
    if (!std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d)))
      y.push_back(x[d]);
    else if (x[d] != 1)
      c.fail("axis " + std::to_string(d) + " of shape " + to_string(x) + " has extent " + std::to_string(x[d]) + ", not 1");
  }
  c.set("axes", axes);
  c.keep_inputs(1);
  c.output(0, c.dtype(0), std::move(y));
}

void rule_unsqueeze(RuleContext& c) {
  const auto given = c.attr_or_input("axes", 1);
  if (!given) c.fail("input 1 is missing: axes");
  const int rank = c.rank(0) + static_cast<int>(given->size());
  const auto axes = c.normal_axes(*given, rank);
  const Shape& x = c.shape(0);
  Shape y;
  size_t next = 0;
  for (int d = 0; d < rank; ++d) {
    const bool fresh = std::binary_search(axes.begin(), axes.end(), d);
    y.push_back(fresh ? 1 : x[next]);
    if (!fresh) ++next;
  }
  c.set("axes", axes);
  c.keep_inputs(1);
  c.output(0, c.dtype(0), std::move(y));
}

void rule_transpose(RuleContext& c) {
  const Shape& x = c.shape(0);
  std::vector<int64_t> perm = c.attr_ints("perm");
  if (!c.has_attr("perm")) {
    perm.resize(x.size());
    for (size_t d = 0; d < perm.size(); ++d) perm[d] = static_cast<int64_t>(perm.size() - 1 - d);
  }
  std::vector<int64_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  bool permutation = sorted.size() == x.size();
  for (size_t d = 0; permutation && d < sorted.size(); ++d) permutation = sorted[d] == static_cast<int64_t>(d);
  if (!permutation) c.fail("perm " + to_string(perm) + " is no permutation of the dimensions of shape " + to_string(x));
  Shape y;
  for (const int64_t p : perm) y.push_back(x[static_cast<size_t>(p)]);
  c.set("perm", perm);
  c.output(0, c.dtype(0), std::move(y));
}

void rule_depth_to_space(RuleContext& c) {
  c.require_rank(0, 4, 4);
  const int64_t b = c.attr_int("blocksize");
  const Shape x = c.shape(0);
  if (b < 1 || b > (1 << 20) || x[1] % (b * b) != 0)
    c.fail(std::to_string(x[1]) + " channels do not divide into blocks of size " + std::to_string(b));
  const std::string mode = c.node().attr_string("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") c.fail("mode is '" + mode + "'; DCR and CRD exist");
  c.output(0, c.dtype(0), {x[0], x[1] / (b * b), checked_mul(c, x[2], b), checked_mul(c, x[3], b)});
}

void rule_space_to_depth(RuleContext& c) {
  c.require_rank(0, 4, 4);
  const int64_t b = c.attr_int("blocksize");
  const Shape x = c.shape(0);
  if (b < 1 || b > (1 << 20) || x[2] % b != 0 || x[3] % b != 0)
    c.fail("shape " + to_string(x) + " does not divide into blocks of size " + std::to_string(b));
  c.output(0, c.dtype(0), {x[0], checked_mul(c, x[1], b * b), x[2] / b, x[3] / b});
}

void rule_shape(RuleContext& c) {
  const int64_t rank = c.rank(0);
  const auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  const int64_t start = clamp(c.attr_int("start")), end = clamp(c.node().attr_int("end", rank));
  c.set("start", start);
  c.set("end", end);
  c.output(0, DType::kI64, {std::max<int64_t>(0, end - start)});
}

void rule_size(RuleContext& c) { c.output(0, DType::kI64, {}); }

void rule_constant(RuleContext& c) {
  const auto it = c.node().attrs.find("value");
  const Tensor* value = it == c.node().attrs.end() ? nullptr : std::get_if<Tensor>(&it->second);
  if (!value) c.fail("attribute 'value' is missing");
  c.output(0, value->dtype(), value->shape());
}

void rule_constant_of_shape(RuleContext& c) {
  const auto wanted = c.attr_or_input("shape", 0);
  if (!wanted) c.fail("input 0 is missing: shape");
  for (const int64_t extent : *wanted)
    if (extent < 0) c.fail("shape " + to_string(*wanted) + " has a negative extent");
  if (!c.has_attr("value")) c.set("value", Tensor::scalar_f32(0).reshaped({1}));
  const Tensor* value = std::get_if<Tensor>(&c.node().attrs.at("value"));
  if (!value || value->size() != 1) c.fail("attribute 'value' is not one element");
  c.set("shape", *wanted);
  c.keep_inputs(0);
  c.output(0, value->dtype(), *wanted);
}

void rule_eye_like(RuleContext& c) {
  if (!c.has_attr("shape")) c.set("shape", c.shape(0));
  if (!c.has_attr("dtype")) c.set("dtype", onnx_of_dtype(c.dtype(0)));
  const Shape y = c.attr_ints("shape");
  if (y.size() != 2) c.fail("input has shape " + to_string(y) + "; two dimensions are needed");
  const auto t = dtype_of_onnx(c.attr_int("dtype"));
  if (!t) c.unsupported("element type " + onnx_dtype_name(c.attr_int("dtype")));
  c.keep_inputs(0);
  c.output(0, *t, y);
}

// ⌈(limit - start) / delta⌉ elements, none if that is negative.
void rule_range(RuleContext& c) {
  static constexpr const char* kNames[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i) {
    if (!c.constant(i)) c.data_dependent(kNames[i]);
    if (c.constant(i)->size() != 1)
      c.fail(std::string(kNames[i]) + " has shape " + to_string(c.shape(i)) + "; a scalar is needed");
    c.require_same_dtype(0, i);
  }
  int64_t count = 0;
  if (is_float(c.dtype(0))) {
    const double start = c.constant(0)->at_f64(0), limit = c.constant(1)->at_f64(0), delta = c.constant(2)->at_f64(0);
    const double n = std::ceil((limit - start) / delta);
    if (!(std::abs(n) < 4e18))
      c.fail("range from " + std::to_string(start) + " to " + std::to_string(limit) + " by " + std::to_string(delta) +
             " has no end");
    count = std::max<int64_t>(0, static_cast<int64_t>(n));
  } else {
    const int64_t start = c.constant(0)->at_i64(0), limit = c.constant(1)->at_i64(0), delta = c.constant(2)->at_i64(0);
    if (delta == 0) c.fail("delta is 0");
    const __int128 span = static_cast<__int128>(limit) - start;
    const __int128 step = delta < 0 ? -static_cast<__int128>(delta) : static_cast<__int128>(delta);
    const __int128 n = ((delta < 0 ? -span : span) + step - 1) / step;
    if (n > INT64_MAX) c.fail("the range is too long");
    count = n < 0 ? 0 : static_cast<int64_t>(n);
  }
  c.output(0, c.dtype(0), {count});
}

}  // namespace tlm::ir
