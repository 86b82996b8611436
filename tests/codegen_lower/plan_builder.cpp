#include "tests/codegen_lower/plan_builder.h"

#include <algorithm>

#include "tlm/core/error.h"

namespace tlm::test {

using space::Attach;
using space::NestPlan;

PlanBuilder::PlanBuilder(const ir::Subgraph& g) {
  plan_.attach.assign(g.stages.size(), Attach::kRoot);
  plan_.packed.resize(g.tensors.size());
  for (size_t s = 0; s < g.stages.size(); ++s) {
    NestPlan n;
    n.stage = static_cast<int>(s);
    n.axes.resize(g.stages[s].axes.size());
    for (size_t a = 0; a < g.stages[s].axes.size(); ++a) {
      const int axis = static_cast<int>(a);
      if (g.stages[s].axes[a].kind == ir::AxisKind::kSpatial) n.order.push_back(axis), n.inner_order.push_back(axis);
      if (g.stages[s].axes[a].kind == ir::AxisKind::kReduce) n.reduce_order.push_back(axis);
      if (g.stages[s].axes[a].kind != ir::AxisKind::kScan) n.unroll_order.push_back(axis);
    }
    plan_.nests.push_back(std::move(n));
  }
}

NestPlan& PlanBuilder::nest(int stage) {
  for (NestPlan& n : plan_.nests)
    if (n.stage == stage) return n;
  TLM_CHECK(false) << "stage " << stage << " has no nest";
  return plan_.nests[0];
}

PlanBuilder& PlanBuilder::inlined(int stage) {
  plan_.attach[static_cast<size_t>(stage)] = Attach::kInline;
  std::erase_if(plan_.nests, [&](const NestPlan& n) { return n.stage == stage; });
  return *this;
}

PlanBuilder& PlanBuilder::epilogue(int root, int stage) {
  plan_.attach[static_cast<size_t>(stage)] = Attach::kEpilogue;
  std::erase_if(plan_.nests, [&](const NestPlan& n) { return n.stage == stage; });
  nest(root).epilogue.push_back(stage);
  return *this;
}

PlanBuilder& PlanBuilder::tile(int stage, int axis, int64_t points, space::Tail tail) {
  nest(stage).axes[static_cast<size_t>(axis)].tile = points;
  nest(stage).axes[static_cast<size_t>(axis)].tail = tail;
  return *this;
}

PlanBuilder& PlanBuilder::cache(int stage, int axis, int64_t points) {
  nest(stage).axes[static_cast<size_t>(axis)].cache = points;
  return *this;
}

PlanBuilder& PlanBuilder::vector(int stage, int axis, int lanes, int64_t vectors) {
  nest(stage).vector_axis = axis;
  nest(stage).lanes = lanes;
  return tile(stage, axis, lanes * vectors);
}

PlanBuilder& PlanBuilder::parallel(int stage, int loops, int64_t grain) {
  nest(stage).parallel = loops;
  nest(stage).grain = grain;
  return *this;
}

PlanBuilder& PlanBuilder::order(int stage, std::vector<int> cache_order, std::vector<int> inner_order) {
  nest(stage).order = std::move(cache_order);
  nest(stage).inner_order = std::move(inner_order);
  return *this;
}

PlanBuilder& PlanBuilder::unroll_order(int stage, std::vector<int> axes) {
  nest(stage).unroll_order = std::move(axes);
  return *this;
}

PlanBuilder& PlanBuilder::reduce_order(int stage, std::vector<int> axes) {
  nest(stage).reduce_order = std::move(axes);
  return *this;
}

PlanBuilder& PlanBuilder::pack(int tensor, std::vector<ir::PackedDim> dims) {
  plan_.packed[static_cast<size_t>(tensor)] = std::move(dims);
  return *this;
}

space::SchedulePlan PlanBuilder::build() const { return plan_; }

}  // namespace tlm::test
