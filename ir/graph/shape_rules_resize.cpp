// Resize and its ancestor Upsample.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

void check_word(RuleContext& c, const char* key, std::initializer_list<const char*> words) {
  const std::string word = c.node().attr_string(key, "");
  for (const char* w : words)
    if (word == w) return;
  c.unsupported(std::string(key) + " is '" + word + "'");
}

// Extents as the ONNX definition computes them: in single precision, rounded down.
int64_t scaled(RuleContext& c, int64_t extent, double scale) {
  const float y = std::floor(static_cast<float>(extent) * static_cast<float>(scale));
  if (!(y >= 0 && y < 9e18f))
    c.fail("extent " + std::to_string(extent) + " scaled by " + std::to_string(scale) + " is not an extent");
  return static_cast<int64_t>(y);
}

std::vector<double> floats_attr(RuleContext& c, const char* key) {
  const auto it = c.node().attrs.find(key);
  if (it == c.node().attrs.end()) return {};
  const auto* v = std::get_if<std::vector<double>>(&it->second);
  if (!v) c.fail(std::string("attribute '") + key + "' has the wrong type");
  return *v;
}

// Spreads values given for `axes` over all dimensions.
template <typename T>
std::vector<T> spread(RuleContext& c, const std::vector<T>& given, const std::vector<int64_t>& axes, std::vector<T> all,
                      const char* name) {
  if (given.size() != axes.size())
    c.fail(std::string(name) + " has " + std::to_string(given.size()) + " entries; " + std::to_string(axes.size()) +
           " are needed");
  for (size_t i = 0; i < axes.size(); ++i) all[static_cast<size_t>(axes[i])] = given[i];
  return all;
}

// With keep_aspect_ratio_policy the scale of all axes: the one that fills `sizes` without exceeding any, or reaches all of them.
// 0 for "stretch", where each axis has its own.
double common_scale(RuleContext& c, const Shape& x, const Shape& sizes, const std::vector<int64_t>& axes) {
  const std::string policy = c.node().attr_string("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch") return 0;
  if (policy != "not_larger" && policy != "not_smaller") c.fail("keep_aspect_ratio_policy is '" + policy + "'");
  double scale = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<size_t>(axes[i]);
    const double s = static_cast<double>(sizes[d]) / static_cast<double>(std::max<int64_t>(x[d], 1));
    scale = i == 0 ? s : policy == "not_larger" ? std::min(scale, s) : std::max(scale, s);
  }
  return scale;
}

}  // namespace

// From ONNX [x, roi?, scales?, sizes?] with axes and keep_aspect_ratio_policy, or canonical [x] with attributes sizes and scales.
void rule_resize(RuleContext& c) {
  const Shape x = c.shape(0);
  const size_t rank = x.size();
  check_word(c, "mode", {"nearest", "linear", "cubic"});
  check_word(c, "coordinate_transformation_mode",
             {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn",
              "tf_crop_and_resize"});
  check_word(c, "nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  if (c.has_attr("sizes")) {
    const Shape y = c.attr_ints("sizes");
    if (y.size() != rank || floats_attr(c, "scales").size() != rank)
      c.fail("sizes " + to_string(y) + " do not fit input of shape " + to_string(x));
    c.output(0, c.dtype(0), y);
    return;
  }
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (c.has_attr("axes") && !c.attr_ints("axes").empty()) {
    axes = c.attr_ints("axes");
    for (int64_t& a : axes) a = c.normal_axis(a, static_cast<int>(rank));
  }
  const bool crop = c.node().attr_string("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  std::vector<double> roi(2 * rank, 0.0);
  std::fill(roi.begin() + static_cast<std::ptrdiff_t>(rank), roi.end(), 1.0);
  if (crop) {
    const auto given = c.const_floats(1, "roi");
    if (given.size() != 2 * axes.size())
      c.fail("roi has " + std::to_string(given.size()) + " entries; " + std::to_string(2 * axes.size()) + " are needed");
    for (size_t i = 0; i < axes.size(); ++i) {
      roi[static_cast<size_t>(axes[i])] = given[i];
      roi[rank + static_cast<size_t>(axes[i])] = given[axes.size() + i];
    }
  }
  // An empty tensor stands for an input that is not given.
  const auto given = [&](int i) { return c.has(i) && element_count(c.shape(i)) != 0; };
  std::vector<double> scales = c.has_attr("scales") ? floats_attr(c, "scales") : std::vector<double>{};
  const bool by_sizes = given(3);
  if (given(2) && by_sizes) c.fail("both scales and sizes are given");
  Shape y = x;
  if (by_sizes) {
    Shape sizes = spread(c, c.const_ints(3, "sizes"), axes, x, "sizes");
    const double common = common_scale(c, x, sizes, axes);
    scales.assign(rank, 1.0);
    for (const int64_t axis : axes) {
      const auto d = static_cast<size_t>(axis);
      if (sizes[d] < 0) c.fail("sizes " + to_string(sizes) + " have a negative extent");
      if (common > 0) sizes[d] = static_cast<int64_t>(std::floor(common * static_cast<double>(x[d]) + 0.5));
      if (common > 0)
        scales[d] = common;
      else if (x[d] > 0)
        scales[d] = static_cast<double>(sizes[d]) / static_cast<double>(x[d]);
    }
    y = sizes;
  } else {
    if (given(2)) scales = c.const_floats(2, "scales");
    if (scales.empty()) c.fail("neither scales nor sizes are given");
    scales = spread(c, scales, axes, std::vector<double>(rank, 1.0), "scales");
    for (size_t d = 0; d < rank; ++d) {
      if (!(scales[d] > 0))
        c.fail("scale " + std::to_string(scales[d]) + " of dimension " + std::to_string(d) + " is not positive");
      const double part = crop ? roi[rank + d] - roi[d] : 1.0;
      y[d] = scaled(c, x[d], scales[d] * part);
    }
  }
  for (size_t d = 0; d < rank; ++d)
    if (x[d] == 0 && y[d] > 0) c.fail("dimension " + std::to_string(d) + " of shape " + to_string(x) + " has nothing to resize");
  for (const char* key : {"axes", "keep_aspect_ratio_policy"}) c.node().attrs.erase(key);
  if (crop) c.set("roi", roi);
  c.set("scales", scales);
  c.set("sizes", y);
  c.keep_inputs(1);
  c.output(0, c.dtype(0), std::move(y));
}

// [x, scales] or [x] with attribute scales: Resize that repeats or interpolates from the top left corner.
void rule_upsample(RuleContext& c) {
  if (c.has(1)) c.set("scales", c.const_floats(1, "scales"));
  if (!c.has_attr("scales")) c.fail("input 1 is missing: scales");
  const std::string mode = c.node().attr_string("mode", "nearest");
  Node& n = c.node();
  n.op = OpKind::kResize;
  n.attrs["mode"] = mode == "bilinear" ? std::string("linear") : mode;
  c.keep_inputs(1);
  n.attrs["coordinate_transformation_mode"] = std::string("asymmetric");
  n.attrs["nearest_mode"] = std::string("floor");
  infer_node(c.g, c.id, c.opset);
}

}  // namespace tlm::ir
