// Operands that lie across the vector axis are copied beforehand, by a stage of its own, so that they run along it.
//
//   P[rest of the spatial axes, reduction axes, v] = X[…]
//   out[…, v, …] = finish(Σ … P[…, v] …)
#include <algorithm>
#include <cstdlib>

#include "tlm/space/rules/algorithm.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {
namespace {

using ir::Expr;
using ir::Op;

constexpr int64_t kWorthTurning = 8;  // points of the vector axis, and uses of each element

bool moves_along(const Expr& load, int axis) {
  bool moves = false;
  for (const Expr& i : load->args) ir::visit(i, [&](const Expr& e) { moves = moves || (e->op == Op::kVar && e->id == axis); });
  return moves;
}

// Loads of the body that lie across `axis` and whose elements are all used many times; each index is one axis or a literal, so
// that the copy is as large as what it copies.
std::vector<Expr> loads_across(const ir::Subgraph& g, const ir::Stage& s, int axis) {
  std::vector<Expr> out;
  const auto add = [&](const Expr& load) {
    if (load->op != Op::kLoad || g.tensors[load->id].role == ir::TensorRole::kConstant || !moves_along(load, axis)) return;
    std::vector<bool> used(s.axes.size(), false);
    const Shape& shape = g.tensors[load->id].shape;
    for (size_t d = 0; d < load->args.size(); ++d) {
      const Expr& i = load->args[d];
      if (i->op == Op::kInt) continue;
      if (i->op != Op::kVar || used[i->id] || s.axes[i->id].extent > shape[d]) return;  // beyond the tensor: a guard is around it
      used[i->id] = true;
    }
    int64_t uses = 1;
    for (int a = 0; a < s.spatial_count(); ++a) uses *= used[a] ? 1 : s.axes[a].extent;
    if (uses < kWorthTurning || std::abs(stride_along(g, load->id, load->args, s, axis)) <= 1) return;
    if (std::none_of(out.begin(), out.end(), [&](const Expr& other) { return ir::equal(other, load); })) out.push_back(load);
  };
  for (const Expr& e : s.body) ir::visit(e, add);
  return out;
}

// The axes that may become the vector axis.
std::vector<int64_t> parameters(const Context& c, int stage) {
  const ir::Stage& s = c.g.stages[stage];
  std::vector<int64_t> out;
  if (!s.has_reduction() || s.has_scan()) return out;
  for (int a = 0; a < s.spatial_count(); ++a) {
    if (s.axes[a].extent < kWorthTurning) continue;
    const bool stores = std::all_of(s.outputs.begin(), s.outputs.end(),
                                    [&](const ir::StageOutput& o) { return stride_along(c.g, o.tensor, o.indices, s, a) == 1; });
    if (stores && !loads_across(c.g, s, a).empty()) out.push_back(a);
  }
  return out;
}

ir::Subgraph apply(const ir::Subgraph& before, int stage, int64_t vector_axis) {
  ir::Subgraph g = before;
  ir::Stage& s = g.stages[stage];
  std::vector<ir::Stage> copies;
  for (const Expr& load : loads_across(before, before.stages[stage], static_cast<int>(vector_axis))) {
    // Other spatial axes as they lie in memory, reductions in the order of the stage, the vector axis innermost.
    std::vector<std::pair<int64_t, int>> ranked;
    std::vector<int> order;
    for (const Expr& i : load->args) {
      if (i->op == Op::kVar && i->id != vector_axis && i->id < s.spatial_count())
        ranked.push_back({-std::abs(stride_along(before, load->id, load->args, s, i->id)), i->id});
    }
    std::sort(ranked.begin(), ranked.end());
    for (auto [stride, a] : ranked) order.push_back(a);
    for (int a = s.spatial_count(); a < static_cast<int>(s.axes.size()); ++a) {
      if (moves_along(load, a)) order.push_back(a);
    }
    order.push_back(static_cast<int>(vector_axis));

    ir::TensorDecl t;
    t.name = before.tensors[load->id].name + ".turned";
    t.dtype = load->dtype;
    t.role = ir::TensorRole::kInternal;
    ir::Stage copy;
    copy.name = s.name + ".turn";
    std::vector<int> number(s.axes.size(), -1);
    std::vector<Expr> read, written;
    for (int a : order) {
      number[a] = static_cast<int>(copy.axes.size());
      copy.axes.push_back({s.axes[a].name, s.axes[a].extent, ir::AxisKind::kSpatial});
      t.shape.push_back(s.axes[a].extent);
      written.push_back(ir::make_var(number[a]));
      read.push_back(ir::make_var(a));
    }
    t.strides = row_major_strides(t.shape);
    t.buffer_elements = element_count(t.shape);
    const int tensor = static_cast<int>(g.tensors.size());
    g.tensors.push_back(std::move(t));
    copy.body = {ir::rewrite(load, [&](const Expr& e) { return e->op == Op::kVar ? ir::make_var(number[e->id]) : Expr(); })};
    copy.result = {ir::make_acc(0, load->dtype)};
    copy.outputs = {{tensor, std::move(written)}};
    copies.push_back(std::move(copy));
    const Expr turned = ir::make_load(tensor, load->dtype, read);
    for (Expr& e : s.body) e = ir::rewrite(e, [&](const Expr& n) { return ir::equal(n, load) ? turned : Expr(); });
  }
  g.stages.insert(g.stages.begin() + stage, copies.begin(), copies.end());
  return g;
}

}  // namespace

AlgorithmRule pack_operand_rule() { return {"pack", parameters, apply}; }

}  // namespace tlm::space
