// Layout of constants: panels whose innermost block is what one register tile reads.
#include <algorithm>

#include "tlm/space/rules/packing.h"
#include "tlm/space/rules/rule.h"

namespace tlm::space {

std::vector<ir::PackedDim> panels(const ir::TensorDecl& t, const NestInfo& n, const NestPlan& plan, const Access& a) {
  // The axis whose block goes innermost: the vector axis, else the tiled axis whose values are broadcast.
  int axis = -1;
  if (plan.vector_axis >= 0 && packable_along(n, a, plan.vector_axis)) axis = plan.vector_axis;
  if (axis < 0 && (plan.vector_axis < 0 || !a.depends(plan.vector_axis))) {
    for (int x = 0; x < n.spatial; ++x) {
      if (plan.axes[x].tile > 1 && x != plan.vector_axis && packable_along(n, a, x) && plan.axes[x].tail == Tail::kPeeled)
        axis = x;
    }
  }
  if (axis < 0) return {};
  int dim = -1;
  std::vector<int> outer, inner;  // other dimensions: walked by spatial axes only; by reduction axes (in their loop order)
  std::vector<std::pair<int, int>> ranked;
  for (size_t d = 0; d < a.indices.size(); ++d) {
    if (!a.reach[d].empty() && a.reach[d][axis] == 1) {
      dim = static_cast<int>(d);
      continue;
    }
    int rank = -1;  // position of the innermost reduction loop that moves this dimension
    ir::visit(a.indices[d], [&](const ir::Expr& e) {
      if (e->op != ir::Op::kVar || !n.is_reduction_axis(e->id)) return;
      auto at = std::find(plan.reduce_order.begin(), plan.reduce_order.end(), e->id);
      rank = std::max(rank, static_cast<int>(at - plan.reduce_order.begin()));
    });
    if (rank < 0)
      outer.push_back(static_cast<int>(d));
    else
      ranked.push_back({rank, static_cast<int>(d)});
  }
  std::stable_sort(ranked.begin(), ranked.end());
  for (auto [rank, d] : ranked) inner.push_back(d);

  std::vector<ir::PackedDim> out;
  auto whole = [&](int d) { out.push_back({d, t.shape[d], 1}); };
  for (int d : outer) whole(d);
  // Blocks are those of the register tile where tiles start at multiples of the block, else the dimension stays whole: as for a
  // reduction axis, where the loop itself runs along it, and where other axes move the same index.
  const bool blocks = !n.is_reduction_axis(axis) && plain_axis(a.indices[dim], n.extent) == axis;
  // (And where padding would double the size.)
  const int64_t tile = plan.axes[axis].tile;
  const int64_t block = blocks && round_up(t.shape[dim], tile) <= 2 * t.shape[dim] ? tile : t.shape[dim];
  if (block < t.shape[dim]) out.push_back({dim, ceil_div(t.shape[dim], block), block});
  for (int d : inner) whole(d);
  out.push_back({dim, block, 1});

  // Row-major under another name is no choice.
  std::vector<ir::PackedDim> rows;
  for (size_t d = 0; d < t.shape.size(); ++d) rows.push_back({static_cast<int>(d), t.shape[d], 1});
  auto significant = [](std::vector<ir::PackedDim> list) {
    std::erase_if(list, [](const ir::PackedDim& p) { return p.extent == 1; });
    return list;
  };
  return significant(out) == significant(rows) ? std::vector<ir::PackedDim>{} : out;
}

bool read_once(const Context& c, const Sketch& s, int tensor) {
  int reads = 0;
  for (size_t nest = 0; nest < s.plan.nests.size(); ++nest) {
    for (const Access& a : nest_info(c, s, static_cast<int>(nest))->loads) reads += a.tensor == tensor;
  }
  return reads == 1;
}

namespace {

std::vector<Choice> candidates(const Context& c, const Sketch& s, int item) {
  std::vector<Choice> out = {{0}};
  const Access& a = s.info->loads[item];
  if (c.target.device != DeviceKind::kCpu || !a.constant || a.index || a.epilogue) return out;
  if (panels(c.g.tensors[a.tensor], *s.info, nest_plan(s), a).empty() || !read_once(c, s, a.tensor)) return out;
  out.push_back({1});
  return out;
}

void apply(const Context& c, Sketch& s, int item, const Choice& choice) {
  const Access& a = s.info->loads[item];
  if (choice[0] == 1) s.plan.packed[a.tensor] = panels(c.g.tensors[a.tensor], *s.info, nest_plan(s), a);
}

}  // namespace

Rule pack_rule() {
  return {DecisionKind::kPack, [](const Context&, const Sketch& s) { return static_cast<int>(s.info->loads.size()); }, candidates,
          apply};
}

}  // namespace tlm::space
