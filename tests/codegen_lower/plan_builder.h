// Plans written by hand, for tests of lowering that do not want a space.
#pragma once

#include <string>
#include <vector>

#include "tlm/space/plan.h"

namespace tlm::test {

// Starts from the plan that does nothing clever: every stage a root, no tile, no vector, loops in axis order.
class PlanBuilder {
 public:
  explicit PlanBuilder(const ir::Subgraph& g);

  PlanBuilder& inlined(int stage);             // stage becomes Attach::kInline
  PlanBuilder& epilogue(int root, int stage);  // computed on root's accumulators
  PlanBuilder& tile(int stage, int axis, int64_t points, space::Tail tail = space::Tail::kPeeled);
  PlanBuilder& cache(int stage, int axis, int64_t points);
  PlanBuilder& vector(int stage, int axis, int lanes, int64_t vectors = 1);
  PlanBuilder& parallel(int stage, int loops, int64_t grain = 1);
  PlanBuilder& order(int stage, std::vector<int> cache_order, std::vector<int> inner_order);
  PlanBuilder& unroll_order(int stage, std::vector<int> axes);
  PlanBuilder& reduce_order(int stage, std::vector<int> axes);
  PlanBuilder& pack(int tensor, std::vector<ir::PackedDim> dims);
  space::SchedulePlan build() const;

 private:
  space::NestPlan& nest(int stage);
  space::SchedulePlan plan_;
};

}  // namespace tlm::test
