// The search of one space, against latencies that are known.
#include "tlm/space/search/evolutionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "synthetic_latency.h"
#include "tests/space/workloads.h"
#include "tlm/space/search/mutation.h"

namespace tlm::space::test {
namespace {

std::shared_ptr<const Space> space_of(const ir::Subgraph& g) {
  Target t = named_target("x86-64-v3");
  t.cores = 2;
  t.numerics = Numerics::kStrict;  // the latencies know nothing of other algorithms
  return Space::build(g, t);
}

// The best ratio after each batch of 16.
std::vector<double> searched(const std::shared_ptr<const Space>& space, int trials, uint64_t seed) {
  EvolutionOptions options;
  options.seed = seed;
  EvolutionarySearch search(space, options);
  const SyntheticLatency latency(*space);
  std::vector<double> best;
  CostModel model;
  while (search.trials() < trials) {
    const auto batch = search.propose(16, model);
    if (batch.empty()) break;
    for (const Schedule& s : batch) search.observe(s, latency.ratio(s), MeasureStatus::kOk);
    std::vector<std::vector<float>> rows;
    std::vector<float> labels;
    search.add_rows(rows, labels);
    model.fit(rows, labels);
    best.push_back(search.best_ratio());
  }
  return best;
}

double drawn(const std::shared_ptr<const Space>& space, int trials, uint64_t seed) {
  const SyntheticLatency latency(*space);
  Rng rng(seed);
  double best = 0;
  for (int i = 0; i < trials; ++i) best = std::max(best, latency.ratio(random_walk(*space, rng).schedule()));
  return best;
}

// log2 of how far from the optimum, on the average of seeds and workloads.
TEST(Evolutionary, ComesNearerToTheOptimumThanDrawing) {
  double search = 0, drawing = 0;
  int runs = 0;
  for (const Workload& w : {Workload{"conv", convolution(28, 64, 64, 3, 1)}, Workload{"matmul", matmul(197, 768, 768)}}) {
    const auto space = space_of(w.g);
    const double optimum = SyntheticLatency(*space).optimum();
    for (uint64_t seed = 0; seed < 6; ++seed, ++runs) {
      const double found = searched(space, 160, seed).back(), random = drawn(space, 160, seed);
      std::printf("%s, seed %d: %.2f times the anchor by search, %.2f by drawing; the optimum is %.2f\n", w.name.c_str(),
                  static_cast<int>(seed), found, random, optimum);
      search += std::log2(optimum / found);
      drawing += std::log2(optimum / random);
    }
  }
  EXPECT_LT(search, 0.5 * drawing);
}

TEST(Evolutionary, BatchesAreLegalDistinctAndNew) {
  for (const Workload& w : all_workloads()) {
    SCOPED_TRACE(w.name);
    const auto space = space_of(w.g);
    EvolutionOptions options;
    options.population = 24;
    EvolutionarySearch search(space, options);
    search.observe(search.anchor(), 1, MeasureStatus::kOk);
    EXPECT_EQ(search.trials(), 0);
    std::set<uint64_t> measured = {hash(search.anchor())};
    Rng rng(1);
    for (int b = 0; b < 3; ++b) {
      const auto batch = search.propose(12, CostModel());
      EXPECT_LE(batch.size(), 12u);
      for (const Schedule& s : batch) {
        const Result<Walk> again = space->replay(s);
        ASSERT_TRUE(again.ok()) << again.reason();
        EXPECT_EQ(again->schedule(), s);
        EXPECT_TRUE(measured.insert(hash(s)).second) << "measured twice: " << print(s);
        {
          const bool crashes = rng.below(4) == 0;
          search.observe(s, crashes ? 0 : rng.uniform(), crashes ? MeasureStatus::kCrashed : MeasureStatus::kOk);
        }
      }
    }
    EXPECT_EQ(search.trials(), static_cast<int>(measured.size()) - 1);
  }
}

TEST(Evolutionary, FollowsFromSeedAndObservations) {
  const auto space = space_of(convolution(14, 32, 32, 3, 1));
  EXPECT_EQ(searched(space, 64, 1), searched(space, 64, 1));
  EvolutionOptions options;
  EvolutionarySearch a(space, options), b(space, options);
  const SyntheticLatency latency(*space);
  const auto first = a.propose(16, CostModel());
  for (const Schedule& s : first) a.observe(s, latency.ratio(s), MeasureStatus::kOk);
  for (size_t i = first.size(); i-- > 0;) b.observe(first[i], latency.ratio(first[i]), MeasureStatus::kOk);  // as records are read back
  EXPECT_EQ(a.propose(16, CostModel()), b.propose(16, CostModel()));
  options.seed = 1;
  EXPECT_NE(EvolutionarySearch(space, options).propose(16, CostModel()), first);
}

TEST(Evolutionary, SmallSpacesAreExhausted) {
  const auto space = space_of(matmul(2, 3, 2));
  EvolutionOptions options;
  EvolutionarySearch search(space, options);
  int batches = 0;
  for (auto batch = search.propose(32, CostModel()); !batch.empty(); batch = search.propose(32, CostModel())) {
    for (const Schedule& s : batch) search.observe(s, 1, MeasureStatus::kOk);
    ASSERT_LT(++batches, 200);
  }
  EXPECT_NEAR(std::log10(search.trials() + 1), space->log10_size(), 0.02);
}

TEST(Evolutionary, TheBestIsTrusted) {
  const auto space = space_of(matmul(64, 64, 64));
  EvolutionarySearch search(space, EvolutionOptions());
  EXPECT_EQ(search.best(), search.anchor());
  EXPECT_EQ(search.best_ratio(), 1);
  const auto batch = search.propose(4, CostModel());
  ASSERT_EQ(batch.size(), 4u);
  search.observe(batch[0], 9, MeasureStatus::kSlow);  // slow: a single round
  search.observe(batch[1], 1.5, MeasureStatus::kOk);
  search.observe(batch[2], 2, MeasureStatus::kOk);  // lucky once
  search.observe(batch[2], 1.2, MeasureStatus::kOk);
  search.observe(batch[2], 1.2, MeasureStatus::kOk);
  search.observe(batch[3], 0, MeasureStatus::kCrashed);
  EXPECT_EQ(search.best(), batch[1]);
  EXPECT_EQ(search.best_ratio(), 1.5);
  EXPECT_EQ(search.top(5), (std::vector<Schedule>{batch[1], batch[2]}));
  std::vector<std::vector<float>> rows;
  std::vector<float> labels;
  search.add_rows(rows, labels);
  EXPECT_EQ(rows.size(), 3u);

  search.observe(batch[1], 0, MeasureStatus::kWrong);
  EXPECT_EQ(search.best(), batch[2]) << "what was wrong once is never the best";
}

// Records outlive the space: what they lack is neutral, what is no longer legal counts as a trial and no more.
TEST(Evolutionary, SchedulesOfOtherSpaces) {
  const auto space = space_of(matmul(64, 64, 64));
  EvolutionarySearch search(space, EvolutionOptions());
  const Schedule plain = space->replay(Schedule()).value().schedule();
  Schedule older = plain;
  older.choices.pop_back();
  search.observe(older, 2, MeasureStatus::kOk);
  search.observe(plain, 4, MeasureStatus::kOk);
  EXPECT_EQ(search.trials(), 1);
  EXPECT_EQ(search.best(), plain);
  EXPECT_EQ(search.best_ratio(), 3);
  search.observe(parse_schedule("micro.s0=zebra:2x8"), 9, MeasureStatus::kOk);
  EXPECT_EQ(search.trials(), 1) << "what this space does not hold is no trial";
  EXPECT_EQ(search.best(), plain);
  EXPECT_EQ(search.propose(8, CostModel()).size(), 8u);
}

}  // namespace
}  // namespace tlm::space::test
