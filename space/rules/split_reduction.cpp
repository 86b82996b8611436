// A reduction in parts: a stage with few points and long sums becomes partial results over a new spatial axis, which cores and
// vectors can share, and a stage that combines them.
//
//   P[q, p] = Σ_{r < chunk} body(p, q·chunk + r)     q: the parts
//   out[p]  = finish(Σ_q P[q, p])
#include <algorithm>
#include <cstdlib>

#include "tlm/space/rules/algorithm.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {
namespace {

using ir::Expr;
using ir::Op;

constexpr double kFewPoints = 2048;  // from there on points alone feed vectors and cores
constexpr double kLongSum = 32;      // contributions to a point
constexpr double kWork = 16384;      // contributions in all
constexpr int64_t kShortest = 4;     // steps of a part

// The longest reduction axis, the first of equals.
int split_axis(const ir::Stage& s) {
  int axis = -1;
  for (int a = s.spatial_count(); a < static_cast<int>(s.axes.size()); ++a) {
    if (axis < 0 || s.axes[a].extent > s.axes[axis].extent) axis = a;
  }
  return axis;
}

std::vector<int64_t> parameters(const Context& c, int stage) {
  const ir::Stage& s = c.g.stages[stage];
  if (!s.has_reduction() || s.has_scan() || !s.combiner.associative || !s.combiner.commutative) return {};
  double points = 1, all = 1;
  for (const ir::Axis& a : s.axes) {
    all *= static_cast<double>(a.extent);
    if (a.kind == ir::AxisKind::kSpatial) points *= static_cast<double>(a.extent);
  }
  if (points > kFewPoints || all < kLongSum * points || all < kWork) return {};
  const int64_t extent = s.axes[split_axis(s)].extent;
  std::vector<int64_t> out;
  for (int64_t parts : {2, 4, 8, 16, 32}) {
    const int64_t chunk = ceil_div(extent, parts);
    if (chunk >= kShortest && (parts - 1) * chunk < extent) out.push_back(parts);
  }
  return out;
}

// Spatial axes as the first output lies in memory, outermost first.
std::vector<int> memory_order(const ir::Subgraph& g, const ir::Stage& s) {
  const ir::StageOutput& out = s.outputs[0];
  std::vector<std::pair<int64_t, int>> ranked;
  for (int a = 0; a < s.spatial_count(); ++a) {
    ranked.push_back({-std::abs(stride_along(g, out.tensor, out.indices, s, a)), a});
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> order;
  for (auto [stride, a] : ranked) order.push_back(a);
  return order;
}

ir::Subgraph apply(const ir::Subgraph& before, int stage, int64_t parts) {
  ir::Subgraph g = before;
  const ir::Stage& s = before.stages[stage];
  const int axis = split_axis(s), spatial = s.spatial_count();
  const int64_t extent = s.axes[axis].extent, chunk = ceil_div(extent, parts);

  // Part 0 of the axes of the partial results; the others follow.
  ir::Stage partial = s;
  partial.name += ".parts";
  partial.axes[axis].extent = chunk;
  partial.axes.insert(partial.axes.begin(), {"part", parts, ir::AxisKind::kSpatial});
  const Expr part = ir::make_var(0), at = part * chunk + ir::make_var(axis + 1);
  for (size_t j = 0; j < partial.body.size(); ++j) {
    partial.body[j] = ir::rewrite(s.body[j], [&](const Expr& e) {
      if (e->op != Op::kVar) return Expr();
      return e->id == axis ? at : ir::make_var(e->id + 1);
    });
    // The last part may be shorter.
    if (parts * chunk > extent) {
      const Expr inside = ir::make_op(Op::kLt, {at, ir::make_int(extent)});
      partial.body[j] = ir::make_select(inside, partial.body[j], s.combiner.identity[j]);
    }
  }
  partial.result.clear();
  partial.outputs.clear();

  ir::Stage whole = s;
  whole.axes.resize(spatial);
  whole.axes.push_back({"part", parts, ir::AxisKind::kReduce});
  const std::vector<int> order = memory_order(before, s);
  for (size_t j = 0; j < s.body.size(); ++j) {
    ir::TensorDecl t;
    t.name = s.name + ".parts" + (s.body.size() > 1 ? std::to_string(j) : "");
    t.dtype = s.body[j]->dtype;
    t.role = ir::TensorRole::kInternal;
    t.shape = {parts};
    std::vector<Expr> written = {part}, read = {ir::make_var(spatial)};
    for (int a : order) {
      t.shape.push_back(s.axes[a].extent);
      written.push_back(ir::make_var(a + 1));
      read.push_back(ir::make_var(a));
    }
    t.strides = row_major_strides(t.shape);
    t.buffer_elements = element_count(t.shape);
    const int number = static_cast<int>(g.tensors.size());
    g.tensors.push_back(std::move(t));
    partial.result.push_back(ir::make_acc(static_cast<int>(j), s.body[j]->dtype));
    partial.outputs.push_back({number, std::move(written)});
    whole.body[j] = ir::make_load(number, s.body[j]->dtype, std::move(read));
  }
  g.stages[stage] = std::move(whole);
  g.stages.insert(g.stages.begin() + stage, std::move(partial));
  return g;
}

}  // namespace

AlgorithmRule split_reduction_rule() { return {"split", parameters, apply}; }

}  // namespace tlm::space
