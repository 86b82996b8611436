// The schedulers that need no model.
#include "tlm/space/scheduler.h"

#include <gtest/gtest.h>

#include "check_plan.h"
#include "workloads.h"

namespace tlm::space::test {
namespace {

std::shared_ptr<const Space> space_of(const ir::Subgraph& g, const std::string& target, int cores = 2) {
  Target t = named_target(target);
  t.cores = cores;
  return Space::build(g, t);
}

Walk replayed(const Space& space, const Schedule& s) {
  Result<Walk> w = space.replay(s);
  EXPECT_TRUE(w.ok()) << w.reason();
  return *w;
}

// Each stage as it is, the rest chosen.
SchedulePlan constructive(const ir::Subgraph& g, const std::string& target) {
  Walk w = space_of(g, target)->walk();
  while (!w.done() && w.decision().kind == DecisionKind::kAlgorithm) w.choose(w.decision().neutral);
  w.complete();
  check_plan(w);
  return w.plan();
}

int64_t accumulators(const NestPlan& n, const ir::Stage& s) {
  int64_t count = 1;
  for (int a = 0; a < s.spatial_count(); ++a) count *= n.axes[a].tile / (a == n.vector_axis ? n.lanes : 1);
  return count;
}

TEST(RandomScheduler, DependsOnSeedAndWorkloadOnly) {
  std::vector<std::shared_ptr<const Space>> spaces;
  for (const Workload& w : all_workloads()) spaces.push_back(space_of(w.g, "x86-64-v3"));
  const auto once = make_random_scheduler(1)->schedule(spaces), again = make_random_scheduler(1)->schedule(spaces);
  const auto other = make_random_scheduler(2)->schedule(spaces);
  EXPECT_EQ(once, again);
  EXPECT_NE(once, other);
  ASSERT_EQ(once.size(), spaces.size());
  for (size_t i = 0; i < spaces.size(); ++i) {
    EXPECT_EQ(make_random_scheduler(1)->schedule({spaces[i]}).at(0), once[i]) << "batch mates matter";
    check_plan(replayed(*spaces[i], once[i].at(0)));
  }
}

TEST(Constructive, CompletesEveryWorkloadOnEveryTarget) {
  for (const char* target : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64", "sm_80"}) {
    for (const Workload& w : all_workloads()) {
      SCOPED_TRACE(w.name + " on " + target);
      auto space = space_of(w.g, target);
      auto scheduler = make_constructive_scheduler();
      const auto schedules = scheduler->schedule({space, space});
      EXPECT_EQ(schedules[0], schedules[1]);
      check_plan(replayed(*space, schedules[0].at(0)));
    }
  }
}

struct TileCase {
  std::string target;
  int lanes;
  int64_t least;  // accumulator vectors
};

TEST(Constructive, ConvolutionsFillTheRegisterFile) {
  for (const TileCase& c : {TileCase{"x86-64", 4, 5}, {"x86-64-v3", 8, 10}, {"x86-64-v4", 16, 20}, {"aarch64", 4, 16}}) {
    for (const ir::Subgraph& g :
         {convolution(56, 64, 64, 3, 1), convolution(28, 512, 128, 1, 1), convolution(56, 256, 64, 1, 1)}) {
      SCOPED_TRACE(c.target + " " + std::to_string(g.tensors[0].shape[1]) + " channels");
      const SchedulePlan plan = constructive(g, c.target);
      const NestPlan& n = plan.nests.back();
      EXPECT_EQ(g.stages[n.stage].axes[n.vector_axis].name, "co");
      EXPECT_EQ(n.lanes, c.lanes);
      EXPECT_GE(accumulators(n, g.stages[n.stage]), c.least);
      EXPECT_GE(n.parallel, 1);
      EXPECT_EQ(n.epilogue.size(), 1u);      // the rectifier runs on registers
      EXPECT_FALSE(plan.packed[1].empty());  // and the weights are panels
      if (g.stages[n.stage].axes[5].extent > 1) {
        EXPECT_EQ(n.reduce_order.back(), 4);  // channels are neighbours in memory
      }
    }
  }
}

TEST(Constructive, PaddingIsStoredForAConvolution) {
  const SchedulePlan plan = constructive(convolution(56, 64, 64, 3, 1), "x86-64-v3");
  EXPECT_EQ(plan.attach[0], Attach::kRoot);
}

TEST(Constructive, ElementwiseChainsAreOneNestOfVectors) {
  const SchedulePlan plan = constructive(elementwise(64, 3072), "x86-64-v3");
  ASSERT_EQ(plan.nests.size(), 1u);
  EXPECT_EQ(plan.attach[0], Attach::kInline);
  EXPECT_EQ(plan.nests[0].vector_axis, 1);
  EXPECT_EQ(plan.nests[0].inner_order, (std::vector<int>{0, 1}));  // along rows of memory
}

TEST(Constructive, RowReductionsUseVectorsAlongTheRow) {
  for (const NestPlan& n : constructive(softmax(96, 197), "x86-64-v3").nests) {
    EXPECT_EQ(n.vector_axis, 1);
    EXPECT_EQ(n.lanes, 8);
  }
}

TEST(Constructive, MatrixProduct) {
  const ir::Subgraph g = matmul(197, 768, 768);
  const SchedulePlan plan = constructive(g, "x86-64-v3");
  EXPECT_GE(accumulators(plan.nests[0], g.stages[0]), 12);
  EXPECT_FALSE(plan.packed[1].empty());
}

TEST(Constructive, OneCoreIsSerial) {
  auto space = space_of(matmul(197, 768, 768), "x86-64-v3", 1);
  EXPECT_EQ(replayed(*space, make_constructive_scheduler()->schedule({space})[0][0]).plan().nests[0].parallel, 0);
}

}  // namespace
}  // namespace tlm::space::test
