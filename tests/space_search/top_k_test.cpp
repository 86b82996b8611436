#include "tlm/space/search/top_k.h"

#include <gtest/gtest.h>

#include <set>

#include "synthetic_latency.h"
#include "tests/space/workloads.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"
#include "tlm/space/scheduler.h"

namespace tlm::space::test {
namespace {

std::shared_ptr<const Space> conv_space() { return Space::build(convolution(28, 64, 64, 3, 1), named_target("x86-64-v3")); }

TEST(TopK, VariationsAreDistinctLegalAndBeginWithTheConstructive) {
  for (const Workload& w : all_workloads()) {
    const auto space = Space::build(w.g, named_target("x86-64-v3"));
    const auto list = constructive_variations(space, 8);
    EXPECT_EQ(list.at(0), make_constructive_scheduler()->schedule({space}).at(0).at(0)) << w.name;
    std::set<std::string> texts;
    for (const Schedule& s : list) {
      EXPECT_TRUE(space->replay(s).ok()) << w.name;
      EXPECT_TRUE(texts.insert(print(s)).second) << w.name;
    }
    EXPECT_LE(list.size(), 8u);
    EXPECT_EQ(constructive_variations(space, 8), list) << w.name;
  }
  EXPECT_EQ(constructive_variations(conv_space(), 8).size(), 8u);
  EXPECT_EQ(constructive_variations(conv_space(), 1).size(), 1u);
}

TEST(TopK, VariesTheAlgorithmThenTheRegisterTile) {
  const auto list = constructive_variations(conv_space(), 3);
  EXPECT_NE(*list[1].find("algorithm.s1"), *list[0].find("algorithm.s1"));
  EXPECT_EQ(*list[2].find("algorithm.s1"), *list[0].find("algorithm.s1"));
  int other_tiles = 0;
  for (const auto& [name, text] : list[2].choices) {
    const std::string* before = list[0].find(name);
    other_tiles += name.rfind("micro.", 0) == 0 && before && *before != text;
  }
  EXPECT_EQ(other_tiles, 1);
}

TEST(TopK, SmallSpacesEnd) {
  const auto space = Space::build(elementwise(2, 2), named_target("x86-64"));
  EXPECT_LT(constructive_variations(space, 1000).size(), 1000u);
}

TEST(TopK, RankingHoldsEveryCandidateOnce) {
  Walk walk = conv_space()->walk();
  while (!walk.done()) {
    const auto n = static_cast<int>(walk.decision().candidates.size());
    const std::vector<int> ranking = walk.ranking(n + 5);
    EXPECT_EQ(static_cast<int>(ranking.size()), n);
    EXPECT_EQ(std::set<int>(ranking.begin(), ranking.end()).size(), ranking.size());
    EXPECT_EQ(ranking[0], walk.constructive());
    walk.choose(ranking[0]);
  }
}

TEST(TopK, DrawsBeginWithTheSeedsOwn) {
  const auto space = conv_space();
  const auto draws = random_draws(space, 6, 11);
  EXPECT_EQ(draws.size(), 6u);
  EXPECT_EQ(draws[0], make_random_scheduler(11)->schedule({space}).at(0).at(0));
  EXPECT_EQ(random_draws(space, 6, 11), draws);
  EXPECT_NE(random_draws(space, 6, 12)[1], draws[1]);
}

class TableMeasurer : public Measurer {
 public:
  Batch measure(const Space& space, const std::vector<Schedule>& schedules, const CancelToken& cancel) override {
    cancel.check();
    Batch b;
    b.id = std::to_string(++batches);
    if (batches == interrupt_at) throw Error(ErrorCode::kInterrupted, "interrupted");
    b.anchor_schedule = space.constructive().schedule();
    b.anchor.median_ms = 1;
    b.anchor.ratio = 1;
    b.anchor.status = MeasureStatus::kOk;
    for (size_t i = 0; i < schedules.size(); ++i) {
      Measurement m;
      m.status = ms[i] > 0 ? MeasureStatus::kOk : MeasureStatus::kCrashed;
      m.median_ms = ms[i];
      m.ratio = ms[i] > 0 ? 1 / ms[i] : 0;
      b.programs.push_back(m);
    }
    return b;
  }
  std::vector<double> ms;
  int batches = 0, interrupt_at = -1;
};

TEST(TopK, TheBestMeasuredWins) {
  const codegen::TempFolder folder;
  const auto space = conv_space();
  const std::vector<SearchWorkload> workloads = {{space, 3, "conv"}};
  const std::vector<std::vector<Schedule>> proposals = {constructive_variations(space, 4)};
  RecordStore store(folder.path() / "r.db");
  TableMeasurer measurer;
  TopKOptions options;
  options.origin = "constructive";

  measurer.ms = {1, 0, 0.5, 0.75};
  SearchResult r = measure_top_k(workloads, proposals, measurer, &store, options);
  EXPECT_EQ(r.workloads[0].schedule, proposals[0][2]);
  EXPECT_DOUBLE_EQ(r.workloads[0].ratio, 2);
  EXPECT_DOUBLE_EQ(r.network_ms, 1.5);
  EXPECT_DOUBLE_EQ(r.anchor_ms, 3);
  EXPECT_EQ(r.measured, 4);
  EXPECT_EQ(store.size(), 4);

  measurer.ms = {0, 0, 0, 0};
  r = measure_top_k(workloads, proposals, measurer, nullptr, options);
  EXPECT_EQ(r.workloads[0].schedule, make_constructive_scheduler()->schedule({space}).at(0).at(0)) << "the anchor was timed";
  EXPECT_EQ(r.workloads[0].best_ms, 1);

  // All of them are in the records: the same choice, nothing measured.
  const SearchResult again = measure_top_k(workloads, proposals, measurer, &store, options);
  EXPECT_EQ(measurer.batches, 2);
  EXPECT_EQ(again.measured, 0);
  EXPECT_EQ(again.workloads[0].schedule, proposals[0][2]);
  EXPECT_DOUBLE_EQ(again.workloads[0].ratio, 2);
  EXPECT_EQ(again.workloads[0].trials, 4);
  EXPECT_DOUBLE_EQ(again.network_ms, 1.5);
  EXPECT_DOUBLE_EQ(again.anchor_ms, 3);

  options.cancel.cancel();
  EXPECT_THROW(measure_top_k(workloads, proposals, measurer, nullptr, options), Error);
}

// The second workload is interrupted: the first one's batch is kept and not measured again.
TEST(TopK, GoesOnWhereItWas) {
  const codegen::TempFolder folder;
  const auto conv = conv_space(), small = Space::build(matmul(8, 16, 16), named_target("x86-64-v3"));
  const std::vector<SearchWorkload> workloads = {{conv, 1, "conv"}, {small, 1, "product"}};
  const std::vector<std::vector<Schedule>> proposals = {constructive_variations(conv, 3), constructive_variations(small, 3)};
  RecordStore store(folder.path() / "r.db");
  TableMeasurer measurer;
  measurer.ms = {1, 0.5, 0.25};
  measurer.interrupt_at = 2;
  EXPECT_THROW(measure_top_k(workloads, proposals, measurer, &store, {.origin = "lm m"}), Error);
  EXPECT_EQ(store.size(), 3);
  const SearchResult r = measure_top_k(workloads, proposals, measurer, &store, {.origin = "lm m"});
  EXPECT_EQ(measurer.batches, 3);
  EXPECT_EQ(r.measured, 3);
  EXPECT_EQ(r.workloads[0].measured, 0);
  EXPECT_EQ(r.workloads[0].schedule, proposals[0][2]);
  EXPECT_EQ(r.workloads[1].measured, 3);
  EXPECT_EQ(store.of_workload(ir::workload_hash(small->subgraph())).at(1).origin, "lm m");
}

}  // namespace
}  // namespace tlm::space::test
