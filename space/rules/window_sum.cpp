#include "tlm/space/rules/window_sum.h"

#include <algorithm>

#include "tlm/space/rules/analysis.h"

namespace tlm::space {
namespace {

using ir::Expr;
using ir::Op;

// Index expressions of a load, all affine; empty if one is not.
std::vector<ir::Affine> affine_indices(const Expr& load, int axes) {
  std::vector<ir::Affine> out;
  for (const Expr& index : load->args) {
    auto affine = ir::as_affine(index, axes);
    if (!affine) return {};
    out.push_back(std::move(*affine));
  }
  return out;
}

int dimensions_with(const std::vector<ir::Affine>& indices, int axis) {
  return static_cast<int>(
      std::count_if(indices.begin(), indices.end(), [&](const ir::Affine& a) { return a.coef[static_cast<size_t>(axis)] != 0; }));
}

// The two axes (spatial, reduction) that alone move this index, by one each.
std::optional<std::pair<int, int>> sliding_pair(const ir::Stage& s, const ir::Affine& index, int64_t extent) {
  std::vector<int> movers;
  for (size_t a = 0; a < s.axes.size(); ++a) {
    if (s.axes[a].extent > 1 && index.coef[a] != 0) movers.push_back(static_cast<int>(a));
  }
  if (movers.size() != 2) return std::nullopt;
  const ir::Axis &x = s.axes[static_cast<size_t>(movers[0])], &k = s.axes[static_cast<size_t>(movers[1])];
  if (x.kind != ir::AxisKind::kSpatial || k.kind != ir::AxisKind::kReduce || k.extent != extent) return std::nullopt;
  for (int a : movers) {
    if (index.coef[static_cast<size_t>(a)] != 1) return std::nullopt;
  }
  return std::pair(movers[0], movers[1]);
}

}  // namespace

std::optional<WindowSum> find_window_sum(const ir::Subgraph& g, int stage, int64_t extent) {
  const ir::Stage& s = g.stages[static_cast<size_t>(stage)];
  const int axes = static_cast<int>(s.axes.size());
  if (s.combiner.kind != ir::CombinerKind::kSum || s.has_scan() || s.body.size() != 1 || s.outputs.size() != 1)
    return std::nullopt;
  const Expr& product = s.body[0];
  if (product->op != Op::kMul || product->args[0]->op != Op::kLoad || product->args[1]->op != Op::kLoad) return std::nullopt;
  WindowSum sum;
  for (const Expr& load : product->args) {
    const bool constant = g.tensors[static_cast<size_t>(load->id)].role == ir::TensorRole::kConstant;
    (constant ? sum.weights : sum.data) = load;
  }
  if (!sum.weights || !sum.data) return std::nullopt;
  const std::vector<ir::Affine> data = affine_indices(sum.data, axes), weights = affine_indices(sum.weights, axes);
  if (data.empty() || weights.empty()) return std::nullopt;
  for (size_t d = 0; d < data.size(); ++d) {
    const auto pair = sliding_pair(s, data[d], extent);
    if (!pair) continue;
    if (sum.w >= 0) return std::nullopt;  // a third direction
    const bool first = sum.h < 0;
    (first ? sum.h : sum.w) = pair->first;
    (first ? sum.kh : sum.kw) = pair->second;
    (first ? sum.data_h : sum.data_w) = static_cast<int>(d);
  }
  if (sum.w < 0 || sum.h == sum.w || sum.kh == sum.kw) return std::nullopt;
  for (int a = 0; a < axes; ++a) {
    if (s.axes[static_cast<size_t>(a)].extent == 1) continue;
    const int in_data = dimensions_with(data, a), in_weights = dimensions_with(weights, a);
    if (a == sum.h || a == sum.w) {
      if (in_data != 1 || in_weights != 0) return std::nullopt;
    } else if (a == sum.kh || a == sum.kw) {
      if (in_data != 1 || in_weights == 0) return std::nullopt;
    } else if (s.axes[static_cast<size_t>(a)].kind == ir::AxisKind::kReduce) {
      if (in_data == 0 || in_weights == 0) return std::nullopt;
      sum.depth.push_back(a);
    } else if (in_data == 0 && in_weights == 0) {
      return std::nullopt;
    } else {
      (in_weights == 0 ? sum.rows : in_data == 0 ? sum.columns : sum.batch).push_back(a);
    }
  }
  return sum;
}

PointwiseChain pointwise_chain(const ir::Subgraph& g, int stage) {
  const ir::Stage* last = &g.stages[static_cast<size_t>(stage)];
  PointwiseChain chain;
  chain.values = last->result;
  chain.outputs = last->outputs;
  std::vector<int64_t> extents = last->extents();
  extents.resize(static_cast<size_t>(last->spatial_count()));
  while (chain.outputs.size() == 1) {
    const ir::StageOutput from = chain.outputs[0];
    const std::vector<int> readers = g.readers(from.tensor);
    if (g.tensors[static_cast<size_t>(from.tensor)].role != ir::TensorRole::kInternal || readers.size() != 1 ||
        g.writers(from.tensor).size() != 1)
      break;
    const ir::Stage& next = g.stages[static_cast<size_t>(readers[0])];
    if (next.combiner.kind != ir::CombinerKind::kNone || next.extents() != extents) break;
    bool own_point = true;
    auto check = [&](const Expr& e) {
      if (e->op != Op::kLoad || e->id != from.tensor) return;
      for (size_t d = 0; d < e->args.size(); ++d) own_point = own_point && same_index(from.indices[d], e->args[d], extents);
    };
    for (const Expr& e : next.body) ir::visit(e, check);
    for (const Expr& e : next.result) ir::visit(e, check);
    if (!own_point) break;
    auto with_value = [&](const Expr& e) {
      return ir::rewrite(e, [&](const Expr& n) { return n->op == Op::kLoad && n->id == from.tensor ? chain.values[0] : Expr(); });
    };
    std::vector<Expr> body, values;
    for (const Expr& e : next.body) body.push_back(with_value(e));
    for (const Expr& r : next.result) {  // its own accumulators first: those in the value are the stage's
      std::vector<Expr> parts = body;
      values.push_back(ir::rewrite(r, [&](const Expr& n) {
        if (n->op == Op::kAcc) return parts.at(static_cast<size_t>(n->id));
        return n->op == Op::kLoad && n->id == from.tensor ? chain.values[0] : Expr();
      }));
    }
    chain.stages.push_back(readers[0]);
    chain.values = std::move(values);
    chain.outputs = next.outputs;
  }
  return chain;
}

}  // namespace tlm::space
