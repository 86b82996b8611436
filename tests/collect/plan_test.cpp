#include "tlm/tools/collect/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tlm/space/records/split_key.h"

namespace tlm::collect {
namespace {

std::string lists() { return std::string(TLM_SOURCE_DIR) + "/lm/data"; }
const Target& machine() {
  static const Target t = named_target("x86-64-v4");
  return t;
}

std::string text_of(const PlanItem& i) { return i.name + " on " + i.variant.name; }

TEST(TrainingPlan, HoldsNothingThatIsHeldOut) {
  const space::Exclusion exclusion = read_exclusion(lists());
  std::set<uint64_t> held_out;
  for (const char* list : {kTestList, kDevList, kNetworkList})
    for (const ListedWorkload& w : read_workload_list(lists() + "/" + list)) held_out.insert(space::split_key(w.subgraph));
  const std::vector<PlanItem> plan = training_plan(1000, 0, exclusion, chosen_variants(machine(), {"training"}));
  std::map<uint64_t, int> workloads;
  std::set<std::string> items;
  int main = 0;
  for (const PlanItem& i : plan) {
    const uint64_t key = space::split_key(*i.subgraph);
    EXPECT_EQ(space::split_of(key), space::Split::kTrain);
    EXPECT_FALSE(held_out.contains(key)) << text_of(i);
    EXPECT_EQ(exclusion.obstacle(*i.subgraph), "") << text_of(i);
    EXPECT_FALSE(i.variant.held_out) << text_of(i);
    ++workloads[ir::workload_hash(*i.subgraph)];
    EXPECT_TRUE(items.insert(text_of(i)).second) << text_of(i);
    main += i.variant.main;
  }
  EXPECT_EQ(workloads.size(), 1000u);
  EXPECT_NEAR(100.0 * main / static_cast<double>(plan.size()), 70, 1);
}

TEST(TrainingPlan, OfFewerWorkloadsIsAPrefix) {
  const std::vector<Variant> variants = chosen_variants(machine(), {"training"});
  const std::vector<PlanItem> few = training_plan(20, 3, {}, variants), more = training_plan(50, 3, {}, variants);
  ASSERT_LT(few.size(), more.size());
  for (size_t i = 0; i < few.size(); ++i) EXPECT_EQ(text_of(few[i]), text_of(more[i]));
  std::set<std::string> seen;
  for (const PlanItem& i : more) seen.insert(i.variant.name);
  EXPECT_EQ(seen.size(), variants.size());
}

TEST(TrainingPlan, OfOtherVariantsAlone) {
  const std::vector<PlanItem> plan = training_plan(6, 0, {}, chosen_variants(machine(), {"avx-1", "sse2-2"}));
  ASSERT_EQ(plan.size(), 6u);
  EXPECT_EQ(plan[0].variant.name, "avx-1");
  EXPECT_EQ(plan[1].variant.name, "sse2-2");
  EXPECT_EQ(plan[5].variant.name, "sse2-2");
}

TEST(TrainingPlan, OfSomeKindsAsManyOfEach) {
  const space::Exclusion exclusion = read_exclusion(lists());
  const std::vector<space::WorkloadKind> kinds = {space::WorkloadKind::kPool, space::WorkloadKind::kMap};
  const auto plan = [&](int workloads) {
    return training_plan(workloads, 3, exclusion, chosen_variants(machine(), {"native-1", "native-2"}), kinds);
  };
  const std::vector<PlanItem> few = plan(10), more = plan(40);
  std::map<space::WorkloadKind, int> of_kind;
  for (const PlanItem& i : more) {
    EXPECT_EQ(space::workload_kind(*i.subgraph), i.kind) << text_of(i);
    EXPECT_EQ(exclusion.obstacle(*i.subgraph), "") << text_of(i);
    ++of_kind[i.kind];
  }
  EXPECT_EQ(of_kind.size(), 2u);  // what may not be learned from is passed over, so that the numbers are nearly equal
  EXPECT_NEAR(of_kind[space::WorkloadKind::kPool], 20, 6);
  ASSERT_EQ(few.size(), 10u);
  for (size_t i = 0; i < few.size(); ++i) EXPECT_EQ(text_of(few[i]), text_of(more[i]));
}

TEST(ListPlan, TakesEachWorkloadWithItsCores) {
  const std::vector<ListedWorkload> dev = read_workload_list(lists() + "/" + kDevList);
  const std::vector<PlanItem> plan = list_plan(dev, chosen_variants(machine(), {"native-1", "native-2"}));
  ASSERT_EQ(plan.size(), dev.size());
  for (size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(plan[i].name, dev[i].name);
    EXPECT_EQ(plan[i].variant.target.cores, dev[i].cores);
  }
}

}  // namespace
}  // namespace tlm::collect
