// Minimal filtering: a sum over a 3×3 window by fewer multiplications (S. Winograd 1980; A. Lavin and S. Gray 2016).
//
//   V[ξ, p, ci]  = Bᵀ d B     of each (m+2)×(m+2) patch of the data; p: the patches, ξ: the elements of a transformed patch
//   U[ξ, ci, co] = G g Gᵀ     of each 3×3 kernel, when the package is made
//   M[ξ, p, co]  = Σ V[ξ, p, ci] · U[ξ, ci, co]
//   out          = finish(Aᵀ M A), m×m outputs of a patch; patches that reach over the end are stages of their own
#include <algorithm>
#include <cmath>

#include "tlm/core/error.h"
#include "tlm/space/rules/algorithm.h"
#include "tlm/space/rules/bilinear.h"
#include "tlm/space/rules/window_sum.h"

namespace tlm::space {
namespace {

using ir::Expr;
using ir::Op;

constexpr int64_t kWindow = 3;
constexpr int64_t kFewChannels = 16;  // below, the transforms cost more than the products save
constexpr double kErrorLimit = 4e-5;  // of `error_estimate`

struct Transforms {
  Matrix bt, g, at;
};

const Transforms& transforms(int64_t m) {
  static const Transforms two = {
      {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
      {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
      {{1, 1, 1, 0}, {0, 1, -1, -1}},
  };
  static const Transforms four = {
      {{4, 0, -5, 0, 1, 0},
       {0, -4, -4, 1, 1, 0},
       {0, 4, -4, -1, 1, 0},
       {0, -2, -1, 2, 1, 0},
       {0, 2, -1, -2, 1, 0},
       {0, 4, 0, -5, 0, 1}},
      {{1. / 4, 0, 0},
       {-1. / 6, -1. / 6, -1. / 6},
       {-1. / 6, 1. / 6, -1. / 6},
       {1. / 24, 1. / 12, 1. / 6},
       {1. / 24, -1. / 12, 1. / 6},
       {0, 0, 1}},
      {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}},
  };
  TLM_CHECK(m == 2 || m == 4) << "tile of " << m;
  return m == 2 ? two : four;
}

double norm(const std::vector<double>& row) {
  double sum = 0;
  for (double x : row) sum += x * x;
  return std::sqrt(sum);
}

double points(const ir::Stage& s, const std::vector<int>& axes) {
  double n = 1;
  for (int a : axes) n *= static_cast<double>(s.axes[static_cast<size_t>(a)].extent);
  return n;
}

std::vector<int64_t> parameters(const Context& c, int stage) {
  if (c.target.numerics != Numerics::kFast) return {};
  const auto sum = find_window_sum(c.g, stage, kWindow);
  const ir::Stage& s = c.g.stages[static_cast<size_t>(stage)];
  if (!sum || s.body[0]->dtype != DType::kF32) return {};
  const double k = points(s, sum->depth);
  if (k < kFewChannels || points(s, sum->columns) < kFewChannels) return {};
  std::vector<int64_t> out;
  for (int64_t m : {2, 4}) {
    if (winograd_error(m, k) <= kErrorLimit) out.push_back(m);
  }
  return out;
}

class Rewriter {
 public:
  Rewriter(const ir::Subgraph& g, int stage, int64_t m)
      : g_(g),
        stage_(stage),
        m_(m),
        n_(m + kWindow - 1),
        s_(g.stages[static_cast<size_t>(stage)]),
        sum_(*find_window_sum(g, stage, kWindow)),
        t_(transforms(m)),
        tiles_h_((extent(sum_.h) + m - 1) / m),
        tiles_w_((extent(sum_.w) + m - 1) / m) {
    patches_ = tiles_h_ * tiles_w_;
    for (int a : sum_.rows) patches_ *= extent(a);
  }

  ir::Subgraph run() {
    ir::Subgraph out = g_;
    out_ = &out;
    const PointwiseChain chain = pointwise_chain(g_, stage_);
    const int last = chain.stages.empty() ? stage_ : chain.stages.back();
    v_ = internal("patches", {n_ * n_}, {sum_.batch}, {patches_}, {sum_.depth});
    mid_ = internal("products", {n_ * n_}, {sum_.batch}, {patches_}, {sum_.columns});
    u_ = derive_weights();
    out.stages.clear();
    for (int s = 0; s < static_cast<int>(g_.stages.size()); ++s) {
      if (s == stage_) {
        out.stages.push_back(input_transform());
        out.stages.push_back(product());
      }
      if (s == last) output_transforms(chain, out.stages);
      const bool consumed = s == stage_ || std::find(chain.stages.begin(), chain.stages.end(), s) != chain.stages.end();
      if (!consumed) out.stages.push_back(g_.stages[static_cast<size_t>(s)]);
    }
    return out;
  }

 private:
  int64_t extent(int a) const { return s_.axes[static_cast<size_t>(a)].extent; }
  ir::Axis axis(int a, ir::AxisKind kind) const { return {s_.axes[static_cast<size_t>(a)].name, extent(a), kind}; }
  std::string name(const char* suffix) const { return s_.name + "." + suffix; }

  static ir::TensorDecl declare(const std::string& name, const Shape& shape, ir::TensorRole role) {
    ir::TensorDecl t;
    t.name = name;
    t.shape = shape;
    t.strides = row_major_strides(shape);
    t.role = role;
    t.buffer_elements = element_count(shape);
    return t;
  }

  int append(ir::TensorDecl t) {
    out_->tensors.push_back(std::move(t));
    return static_cast<int>(out_->tensors.size()) - 1;
  }

  void append_extents(Shape& shape, const std::vector<int>& axes) const {
    for (int a : axes) shape.push_back(extent(a));
  }

  int internal(const char* suffix, Shape shape, const std::vector<int>& outer, const Shape& middle,
               const std::vector<int>& inner) {
    append_extents(shape, outer);
    shape.insert(shape.end(), middle.begin(), middle.end());
    append_extents(shape, inner);
    return append(declare(name(suffix), shape, ir::TensorRole::kInternal));
  }

  // A stage without reduction whose outputs are its bodies.
  static void add_output(ir::Stage& s, int tensor, std::vector<Expr> indices, const Expr& value) {
    s.result.push_back(ir::make_acc(static_cast<int>(s.body.size()), value->dtype));
    s.body.push_back(value);
    s.outputs.push_back({tensor, std::move(indices)});
  }

  // `e` with the axes of the original stage at `position`.
  static Expr at(const Expr& e, const std::vector<Expr>& position) {
    return ir::rewrite(e, [&](const Expr& n) { return n->op == Op::kVar ? position.at(static_cast<size_t>(n->id)) : Expr(); });
  }

  std::vector<Expr> origin() const { return std::vector<Expr>(s_.axes.size(), ir::make_int(0)); }

  // New axes for the listed original ones; their positions become the new axes.
  void add_axes(ir::Stage& s, const std::vector<int>& axes, std::vector<Expr>& position, std::vector<Expr>& indices) const {
    for (int a : axes) {
      position[static_cast<size_t>(a)] = ir::make_var(static_cast<int>(s.axes.size()));
      indices.push_back(position[static_cast<size_t>(a)]);
      s.axes.push_back(axis(a, ir::AxisKind::kSpatial));
    }
  }

  // The recipe of U is a subgraph of its own, evaluated when the package is made; in f64, so that it adds no error.
  int derive_weights() {
    const int source = sum_.weights->id;
    auto recipe = std::make_shared<ir::Subgraph>();
    recipe->name = name("weights");
    const ir::TensorDecl& w = g_.tensors[static_cast<size_t>(source)];
    ir::Stage s;
    s.name = name("weights");
    std::vector<Expr> position = origin(), indices = {Expr()};
    add_axes(s, sum_.batch, position, indices);
    add_axes(s, sum_.depth, position, indices);
    add_axes(s, sum_.columns, position, indices);
    std::vector<std::vector<Expr>> kernel(kWindow);
    for (int64_t i = 0; i < kWindow; ++i) {
      for (int64_t j = 0; j < kWindow; ++j) {
        position[static_cast<size_t>(sum_.kh)] = ir::make_int(i);
        position[static_cast<size_t>(sum_.kw)] = ir::make_int(j);
        std::vector<Expr> from;
        for (const Expr& e : sum_.weights->args) from.push_back(at(e, position));
        kernel[static_cast<size_t>(i)].push_back(ir::make_cast(ir::make_load(0, w.dtype, from), DType::kF64));
      }
    }
    const int n = static_cast<int>(n_);
    const auto grid = apply_both_sides(t_.g, kernel, n, n, DType::kF64);
    for (int64_t xi = 0; xi < n_ * n_; ++xi) {
      indices[0] = ir::make_int(xi);
      add_output(s, 1, indices, ir::make_cast(grid[static_cast<size_t>(xi / n_)][static_cast<size_t>(xi % n_)], DType::kF32));
    }
    Shape shape = {n_ * n_};
    for (const ir::Axis& a : s.axes) shape.push_back(a.extent);
    recipe->tensors = {declare("source", w.shape, ir::TensorRole::kInput), declare("weights", shape, ir::TensorRole::kOutput)};
    recipe->tensors[0].dtype = w.dtype;
    recipe->stages = {std::move(s)};
    const int u = append(declare(name("weights"), shape, ir::TensorRole::kConstant));
    out_->derived.push_back({u, source, std::move(recipe)});
    return u;
  }

  // One element of the data, zero beyond its end: patches of the last row and column may reach over it.
  Expr element(const std::vector<Expr>& position, int64_t i, int64_t j) const {
    const ir::TensorDecl& x = g_.tensors[static_cast<size_t>(sum_.data->id)];
    std::vector<Expr> indices;
    for (const Expr& e : sum_.data->args) indices.push_back(at(e, position));
    Expr inside;
    auto guard = [&](int dim, int64_t tiles, int64_t offset) {
      const auto affine = ir::as_affine(sum_.data->args[static_cast<size_t>(dim)], static_cast<int>(s_.axes.size()));
      const int64_t size = x.shape[static_cast<size_t>(dim)];
      if (affine->constant + (tiles - 1) * m_ + offset < size) return;
      const Expr here = ir::make_op(Op::kLt, {indices[static_cast<size_t>(dim)], ir::make_int(size)});
      inside = inside ? ir::make_op(Op::kAnd, {inside, here}) : here;
    };
    guard(sum_.data_h, tiles_h_, i);
    guard(sum_.data_w, tiles_w_, j);
    const Expr load = ir::make_load(sum_.data->id, x.dtype, indices);
    return inside ? ir::make_select(inside, load, ir::make_const(0, x.dtype)) : load;
  }

  ir::Stage input_transform() const {
    ir::Stage s;
    s.name = name("patches");
    std::vector<Expr> position = origin(), indices = {Expr()};
    add_axes(s, sum_.batch, position, indices);
    const Expr p = ir::make_var(static_cast<int>(s.axes.size()));
    indices.push_back(p);
    s.axes.push_back({"p", patches_, ir::AxisKind::kSpatial});
    add_axes(s, sum_.depth, position, indices);
    int64_t below = tiles_h_ * tiles_w_;  // patches for each point of the row axes so far
    for (size_t r = sum_.rows.size(); r-- > 0;) {
      const int a = sum_.rows[r];
      position[static_cast<size_t>(a)] = digit(p, below, extent(a), patches_);
      below *= extent(a);
    }
    const Expr top = digit(p, tiles_w_, tiles_h_, patches_) * m_, left = digit(p, 1, tiles_w_, patches_) * m_;
    std::vector<std::vector<Expr>> patch(static_cast<size_t>(n_));
    position[static_cast<size_t>(sum_.h)] = top;
    position[static_cast<size_t>(sum_.w)] = left;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        position[static_cast<size_t>(sum_.kh)] = ir::make_int(i);
        position[static_cast<size_t>(sum_.kw)] = ir::make_int(j);
        patch[static_cast<size_t>(i)].push_back(element(position, i, j));
      }
    }
    const int n = static_cast<int>(n_);
    const auto grid = apply_both_sides(t_.bt, patch, n, n, DType::kF32);
    for (int64_t xi = 0; xi < n_ * n_; ++xi) {
      indices[0] = ir::make_int(xi);
      add_output(s, v_, indices, grid[static_cast<size_t>(xi / n_)][static_cast<size_t>(xi % n_)]);
    }
    return s;
  }

  // (e / below) mod extent, where e < whole.
  static Expr digit(const Expr& e, int64_t below, int64_t extent, int64_t whole) {
    if (extent == 1) return ir::make_int(0);
    const Expr high = below == 1 ? e : ir::floor_div(e, below);
    return below * extent == whole ? high : ir::floor_mod(high, extent);
  }

  ir::Stage product() const {
    ir::Stage s;
    s.name = name("products");
    std::vector<Expr> v, u, m;
    auto add = [&](ir::Axis a, bool in_v, bool in_u, bool in_m) {
      const Expr x = ir::make_var(static_cast<int>(s.axes.size()));
      if (in_v) v.push_back(x);
      if (in_u) u.push_back(x);
      if (in_m) m.push_back(x);
      s.axes.push_back(std::move(a));
      return x;
    };
    add({"xi", n_ * n_, ir::AxisKind::kSpatial}, true, true, true);
    for (int a : sum_.batch) add(axis(a, ir::AxisKind::kSpatial), true, true, true);
    add({"p", patches_, ir::AxisKind::kSpatial}, true, false, true);
    std::vector<Expr> columns;
    for (int a : sum_.columns) columns.push_back(add(axis(a, ir::AxisKind::kSpatial), false, false, true));
    for (int a : sum_.depth) add(axis(a, ir::AxisKind::kReduce), true, true, false);
    u.insert(u.end(), columns.begin(), columns.end());
    s.body = {ir::make_load(v_, DType::kF32, v) * ir::make_load(u_, DType::kF32, u)};
    s.combiner = ir::make_combiner(ir::CombinerKind::kSum, DType::kF32);
    s.result = {ir::make_acc(0, DType::kF32)};
    s.outputs = {{mid_, m}};
    return s;
  }

  // Tiles along one axis: the whole ones, or the last one that reaches over the end.
  struct Span {
    int64_t first = 0, tiles = 0, outputs = 0;
  };
  std::vector<Span> spans(int a) const {
    std::vector<Span> out;
    const int64_t whole = extent(a) / m_, rest = extent(a) % m_;
    if (whole > 0) out.push_back({0, whole, m_});
    if (rest > 0) out.push_back({whole, 1, rest});
    return out;
  }

  void output_transforms(const PointwiseChain& chain, std::vector<ir::Stage>& stages) const {
    for (const Span& h : spans(sum_.h)) {
      for (const Span& w : spans(sum_.w)) stages.push_back(output_transform(chain, h, w));
    }
  }

  ir::Stage output_transform(const PointwiseChain& chain, const Span& h, const Span& w) const {
    ir::Stage s;
    s.name = chain.stages.empty() ? s_.name : g_.stages[static_cast<size_t>(chain.stages.back())].name;
    std::vector<Expr> position = origin();
    Expr tile_h = ir::make_int(h.first), tile_w = ir::make_int(w.first);
    for (int a = 0; a < s_.spatial_count(); ++a) {
      ir::Axis here = axis(a, ir::AxisKind::kSpatial);
      if (a == sum_.h) here.extent = h.tiles;
      if (a == sum_.w) here.extent = w.tiles;
      if (here.extent == 1) continue;
      const Expr x = ir::make_var(static_cast<int>(s.axes.size()));
      (a == sum_.h ? tile_h : a == sum_.w ? tile_w : position[static_cast<size_t>(a)]) = x;
      s.axes.push_back(std::move(here));
    }
    Expr p = ir::make_int(0);
    for (int a : sum_.rows) p = p * extent(a) + position[static_cast<size_t>(a)];
    p = (p * tiles_h_ + tile_h) * tiles_w_ + tile_w;
    std::vector<Expr> indices = {Expr()};
    for (int a : sum_.batch) indices.push_back(position[static_cast<size_t>(a)]);
    indices.push_back(ir::simplify(p, s.extents()));
    for (int a : sum_.columns) indices.push_back(position[static_cast<size_t>(a)]);
    std::vector<std::vector<Expr>> products(static_cast<size_t>(n_));
    for (int64_t xi = 0; xi < n_ * n_; ++xi) {
      indices[0] = ir::make_int(xi);
      products[static_cast<size_t>(xi / n_)].push_back(ir::make_load(mid_, DType::kF32, indices));
    }
    const auto sums = apply_both_sides(t_.at, products, static_cast<int>(h.outputs), static_cast<int>(w.outputs), DType::kF32);
    for (int64_t i = 0; i < h.outputs; ++i) {
      for (int64_t j = 0; j < w.outputs; ++j) {
        position[static_cast<size_t>(sum_.h)] = tile_h * m_ + i;
        position[static_cast<size_t>(sum_.w)] = tile_w * m_ + j;
        const Expr& value = sums[static_cast<size_t>(i)][static_cast<size_t>(j)];
        for (size_t o = 0; o < chain.outputs.size(); ++o) {
          std::vector<Expr> to;
          for (const Expr& e : chain.outputs[o].indices) to.push_back(ir::simplify(at(e, position), s.extents()));
          add_output(s, chain.outputs[o].tensor, to, ir::rewrite(chain.values[o], [&](const Expr& n) {
                       if (n->op == Op::kAcc) return value;
                       return n->op == Op::kVar ? position.at(static_cast<size_t>(n->id)) : Expr();
                     }));
        }
      }
    }
    return s;
  }

  const ir::Subgraph& g_;
  const int stage_;
  const int64_t m_, n_;  // outputs of a tile, and elements of a patch, in each direction
  const ir::Stage& s_;
  const WindowSum sum_;
  const Transforms& t_;
  const int64_t tiles_h_, tiles_w_;
  int64_t patches_ = 1;
  ir::Subgraph* out_ = nullptr;
  int v_ = -1, u_ = -1, mid_ = -1;
};

ir::Subgraph apply(const ir::Subgraph& g, int stage, int64_t m) { return Rewriter(g, stage, m).run(); }

}  // namespace

// 2^-24 · a² · √K / 8 (the 8 is fitted to the errors of random operands, tests/codegen_lower/winograd_test), where K is the
// number of products that a sum adds and a, by which one direction amplifies errors, the largest over the rows of Aᵀ of
// √Σ_ξ (Aᵀ[ξ] · |Bᵀ[ξ]| · |G[ξ]|)²: 2.2 for m = 2 and 9.7 for m = 4.
double winograd_error(int64_t m, double k) {
  const Transforms& t = transforms(m);
  double amplified = 0;
  for (const std::vector<double>& row : t.at) {
    std::vector<double> parts;
    for (size_t xi = 0; xi < row.size(); ++xi) parts.push_back(row[xi] * norm(t.bt[xi]) * norm(t.g[xi]));
    amplified = std::max(amplified, norm(parts));
  }
  return std::exp2(-24) * amplified * amplified * std::sqrt(k) / 8;
}

AlgorithmRule winograd_rule() { return {"winograd", parameters, apply}; }

}  // namespace tlm::space
