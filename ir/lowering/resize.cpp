// Resize, one dimension after the other: each output position is a weighted sum of a few input positions, taken from tables that
// are computed here. Formulas: the Resize operator of the ONNX specification.
#include <algorithm>
#include <cmath>

#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

struct Tap {
  int64_t index;
  double weight;
};

struct ResizeRule {
  std::string mode, transform, nearest;
  double cubic_a = -0.75;
  bool exclude_outside = false, antialias = false;
};

// One dimension: taps of each output position, and whether it lies outside the region (tf_crop_and_resize).
struct DimensionTaps {
  std::vector<std::vector<Tap>> taps;
  std::vector<bool> outside;
};

// `out`: the output's extent; its exact length, scale·in, need not be an integer.
double source_coordinate(const NodeLowering& l, const ResizeRule& r, double o, double in, double out, double scale,
                         double roi_start, double roi_end) {
  double length = scale * in;
  if (r.transform == "half_pixel") return (o + 0.5) / scale - 0.5;
  if (r.transform == "half_pixel_symmetric") return in / 2 * (1 - out / length) + (o + 0.5) / scale - 0.5;
  if (r.transform == "pytorch_half_pixel") return out > 1 ? (o + 0.5) / scale - 0.5 : 0;
  if (r.transform == "align_corners") return out > 1 ? o * (in - 1) / (length - 1) : 0;
  if (r.transform == "asymmetric") return o / scale;
  if (r.transform == "tf_half_pixel_for_nn") return (o + 0.5) / scale;
  if (r.transform == "tf_crop_and_resize") {
    if (out <= 1) return 0.5 * (roi_start + roi_end) * (in - 1);
    return (roi_start + o * (roi_end - roi_start) / (length - 1)) * (in - 1);
  }
  l.unsupported_attr("coordinate_transformation_mode", r.transform);
}

int64_t nearest_index(const NodeLowering& l, const ResizeRule& r, double x) {
  if (r.nearest == "floor") return static_cast<int64_t>(std::floor(x));
  if (r.nearest == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (r.nearest == "round_prefer_floor") return static_cast<int64_t>(std::ceil(x - 0.5));
  if (r.nearest == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5));
  l.unsupported_attr("nearest_mode", r.nearest);
}

double linear_kernel(double x) { return std::max(0.0, 1 - std::fabs(x)); }

// Keys' cubic convolution kernel.
double cubic_kernel(double x, double a) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

std::vector<Tap> taps_at(const NodeLowering& l, const ResizeRule& r, double x, int64_t in, double scale) {
  auto clamp = [in](int64_t i) { return std::clamp<int64_t>(i, 0, in - 1); };
  if (r.mode == "nearest") return {{clamp(nearest_index(l, r, x)), 1}};
  bool cubic = r.mode == "cubic";
  if (!cubic && r.mode != "linear") l.unsupported_attr("mode", r.mode);
  // Antialiasing widens the kernel when the output is smaller.
  double stretch = r.antialias && scale < 1 ? scale : 1, support = (cubic ? 2 : 1) / stretch;
  auto first = static_cast<int64_t>(std::floor(x - support)) + 1, last = static_cast<int64_t>(std::ceil(x + support)) - 1;
  if (last < first) last = first;
  std::vector<Tap> taps;
  double sum = 0;
  for (int64_t i = first; i <= last; ++i) {
    double d = (x - static_cast<double>(i)) * stretch;
    double w = cubic ? cubic_kernel(d, r.cubic_a) : linear_kernel(d);
    if (w == 0 || (r.exclude_outside && i != clamp(i))) continue;
    sum += w;
    taps.push_back({clamp(i), w});
  }
  if (taps.empty()) return {{clamp(static_cast<int64_t>(std::lround(x))), 1}};
  if (r.exclude_outside || r.antialias) {
    for (Tap& t : taps) t.weight /= sum;
  }
  return taps;
}

// The taps as an index expression, when every position copies one element: o/f for an upsampling by f, or s·o + c.
Expr plain_index(const DimensionTaps& d, const Expr& o, int64_t in) {
  auto n = static_cast<int64_t>(d.taps.size());
  auto index = [&](int64_t i) { return d.taps[static_cast<size_t>(i)][0].index; };
  for (const auto& t : d.taps) {
    if (t.size() != 1 || t[0].weight != 1) return {};
  }
  if (n == 0) return make_int(0);
  int64_t step = n > 1 ? index(1) - index(0) : 0, factor = in > 0 && n % in == 0 ? n / in : 0;
  bool affine = true, repeated = factor > 1;
  for (int64_t i = 0; i < n; ++i) {
    affine = affine && index(i) == index(0) + step * i;
    repeated = repeated && index(i) == i / factor;
  }
  if (affine) return o * step + index(0);
  if (repeated) return floor_div(o, factor);
  return {};
}

// tensor = x resized along `dim`.
void resize_dimension(NodeLowering& l, const Operand& x, size_t dim, const DimensionTaps& d, int tensor,
                      const std::function<Expr(Expr, const Indices&)>& finish) {
  const Shape& shape = l.b.subgraph.tensors[static_cast<size_t>(tensor)].shape;
  std::string suffix = std::to_string(dim);
  StageDraft s(l.b, l.name(suffix));
  Indices at = s.spatial(shape), from = at;
  auto n = static_cast<int64_t>(d.taps.size());
  size_t width = 1;
  for (const auto& t : d.taps) width = std::max(width, t.size());
  if (Expr plain = plain_index(d, at[dim], x.shape[dim])) {
    from[dim] = plain;
    s.body(x.at(from));
  } else {
    Tensor places(DType::kI64, {n, static_cast<int64_t>(width)}), weights(DType::kF32, {n, static_cast<int64_t>(width)});
    bool weighted = width > 1;
    for (int64_t o = 0; o < n; ++o) {
      const std::vector<Tap>& taps = d.taps[static_cast<size_t>(o)];
      for (size_t k = 0; k < width; ++k) {
        int64_t flat = o * static_cast<int64_t>(width) + static_cast<int64_t>(k);
        places.set_i64(flat, k < taps.size() ? taps[k].index : taps.back().index);
        weights.set_f64(flat, k < taps.size() ? taps[k].weight : 0);
        weighted = weighted || taps[0].weight != 1;
      }
    }
    Expr k = s.reduce("k", static_cast<int64_t>(width));
    int table = l.b.constant(l.name("places" + suffix), places);
    from[dim] = clamp_index(make_load(table, DType::kI64, {at[dim], k}), x.shape[dim]);
    Expr e = x.at(from);
    if (weighted) {
      DType t = is_float(e->dtype) ? e->dtype : DType::kF32;
      int w = l.b.constant(l.name("weights" + suffix), weights);
      e = make_cast(e, t) * make_cast(make_load(w, DType::kF32, {at[dim], k}), t);
    }
    s.combine(CombinerKind::kSum, e);
  }
  s.output(tensor, at, finish(s.acc(), at));
  s.emit();
}

}  // namespace

void lower_resize(NodeLowering& l) {
  Operand x = l.operand(0);
  ResizeRule r;
  r.mode = l.node.attr_string("mode", "nearest");
  r.transform = l.node.attr_string("coordinate_transformation_mode", "half_pixel");
  r.nearest = l.node.attr_string("nearest_mode", "round_prefer_floor");
  r.cubic_a = l.node.attr_float("cubic_coeff_a", -0.75);
  r.exclude_outside = l.integer("exclude_outside") != 0;
  r.antialias = l.integer("antialias") != 0;
  const Shape& out = l.out().shape;
  size_t rank = x.shape.size();
  std::vector<double> scales = l.floats("scales"), roi = l.floats("roi");
  if (scales.size() != rank) l.bad_model("scales must have an entry for each dimension");
  bool crop = r.transform == "tf_crop_and_resize";
  if (crop && roi.size() != 2 * rank) l.bad_model("roi must have two entries for each dimension");

  std::vector<DimensionTaps> dims(rank);
  std::vector<size_t> resized;
  std::vector<std::pair<size_t, int>> outside;  // dimension and its table of positions outside the region
  for (size_t d = 0; d < rank; ++d) {
    double start = crop ? roi[d] : 0, end = crop ? roi[d + rank] : 1;
    if (out[d] == x.shape[d] && scales[d] == 1 && start == 0 && end == 1) continue;
    auto in = static_cast<double>(x.shape[d]);
    bool any_outside = false;
    for (int64_t o = 0; o < out[d]; ++o) {
      double c = source_coordinate(l, r, static_cast<double>(o), in, static_cast<double>(out[d]), scales[d], start, end);
      dims[d].taps.push_back(taps_at(l, r, c, x.shape[d], scales[d]));
      dims[d].outside.push_back(crop && (c < 0 || c > in - 1));
      any_outside = any_outside || dims[d].outside.back();
    }
    resized.push_back(d);
    if (any_outside) {
      Tensor table(DType::kBool, {out[d]});
      for (int64_t o = 0; o < out[d]; ++o) table.set_i64(o, dims[d].outside[static_cast<size_t>(o)]);
      outside.emplace_back(d, l.b.constant(l.name("outside" + std::to_string(d)), table));
    }
  }
  if (resized.empty()) {
    map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return x.at(at); });
    return;
  }
  // Dimensions that shrink most come first: the least work.
  std::stable_sort(resized.begin(), resized.end(), [&](size_t a, size_t b) { return out[a] * x.shape[b] < out[b] * x.shape[a]; });
  double extrapolated = l.node.attr_float("extrapolation_value", 0);
  Operand current = x;
  for (size_t i = 0; i < resized.size(); ++i) {
    size_t d = resized[i];
    bool last = i + 1 == resized.size();
    Shape shape = current.shape;
    shape[d] = out[d];
    DType t = is_float(x.dtype) || r.mode == "nearest" ? x.dtype : DType::kF32;
    int tensor = last ? l.out_tensor() : l.internal("dim" + std::to_string(d), t, shape, l.in(0).order);
    resize_dimension(l, current, d, dims[d], tensor, [&](Expr e, const Indices& at) {
      if (!last || outside.empty()) return e;
      Expr any;
      for (auto [dim, table] : outside) {
        Expr flag = make_load(table, DType::kBool, {at[dim]});
        any = any ? make_op(Op::kOr, {any, flag}) : flag;
      }
      return make_select(any, like(extrapolated, e), e);
    });
    current = l.tensor_operand(tensor);
  }
}

}  // namespace tlm::ir
