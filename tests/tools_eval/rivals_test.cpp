#include "tlm/tools/eval/rivals/rivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>

#include "fake_measurer.h"
#include "tests/space/workloads.h"
#include "tests/space_search/synthetic_latency.h"
#include "tlm/lm/training/projection.h"
#include "tlm/space/search/top_k.h"

namespace tlm::eval::test {
namespace {

using space::Schedule;
using space::Space;
using Spaces = std::vector<std::shared_ptr<const Space>>;

Target two_cores() {
  Target t = machine();
  t.cores = 2;
  return t;
}

// Random programs of a workload with the synthetic latency, fastest first.
TrainingWorkload trained(const ir::Subgraph& g, int programs) {
  TrainingWorkload w{g, two_cores(), {}};
  const auto space = Space::build(g, w.target);
  const space::test::SyntheticLatency latency(*space);
  std::vector<Schedule> all = space::random_draws(space, programs, 5);
  for (const Schedule& s : space::constructive_variations(space, programs / 2)) all.push_back(s);
  for (const Schedule& s : all) w.programs.push_back({print(s), std::log(latency.ratio(s)), false});
  std::sort(w.programs.begin(), w.programs.end(),
            [](const TrainingProgram& a, const TrainingProgram& b) { return a.log_ratio > b.log_ratio; });
  return w;
}

TrainingSet training(int programs = 40) {
  return std::make_shared<const std::vector<TrainingWorkload>>(std::vector<TrainingWorkload>{
      trained(space::test::matmul(64, 128, 96), programs), trained(space::test::matmul(256, 512, 384), programs),
      trained(space::test::convolution(28, 32, 64, 3, 1), programs), trained(space::test::softmax(96, 200), programs)});
}

Spaces some_spaces() {
  Spaces all;
  for (const space::test::Workload& w : space::test::all_workloads()) all.push_back(Space::build(w.g, two_cores()));
  return all;
}

void expect_legal(space::Scheduler& scheduler, size_t most) {
  const Spaces spaces = some_spaces();
  const std::vector<std::vector<Schedule>> out = scheduler.schedule(spaces);
  ASSERT_EQ(out.size(), spaces.size());
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_GE(out[i].size(), 1u);
    EXPECT_LE(out[i].size(), most);
    std::set<uint64_t> distinct;
    for (const Schedule& s : out[i]) {
      const Result<space::Walk> walk = spaces[i]->replay(s);
      ASSERT_TRUE(walk.ok()) << walk.reason();
      EXPECT_EQ(walk->schedule(), s) << "not complete";
      EXPECT_TRUE(distinct.insert(hash(s)).second);
    }
  }
}

TEST(Rivals, EverythingTheyProposeIsLegal) {
  expect_legal(*make_constructive_rival(6), 6);
  expect_legal(*make_random_rival(6, 1), 6);
  expect_legal(*make_nearest_rival(training(), 6), 6);
  expect_legal(*make_ngram_rival(training(), 6, 1), 6);
  const auto model = fit_cost_model(*training(), 1000, serial_executor());
  expect_legal(*make_cost_model_rival(model, {0, 20}, 6, 1, serial_executor()), 6);
}

TEST(Nearest, TakesTheBestOfTheNearest) {
  const TrainingSet set = training();
  // Two columns more than the second product.
  const auto space = Space::build(space::test::matmul(256, 514, 384), two_cores());
  const std::vector<Schedule> out = make_nearest_rival(set, 3)->schedule({space})[0];
  const auto theirs = Space::build((*set)[1].subgraph, two_cores());
  const Schedule best = space::parse_schedule((*set)[1].programs[0].schedule);
  EXPECT_EQ(out[0], lm::RecordedChoices(theirs->replay(best).value()).project(*space).schedule());
}

TEST(Ngram, RepeatsWhatItHasSeenAndNothingElse) {
  // One sentence, learned by heart.
  auto one = std::make_shared<std::vector<TrainingWorkload>>();
  one->push_back(trained(space::test::convolution(28, 32, 64, 3, 1), 20));
  (*one)[0].programs.resize(1);
  const auto space = Space::build((*one)[0].subgraph, two_cores());
  EXPECT_EQ(print(make_ngram_rival(one, 1, 1, 12)->schedule({space})[0][0]), (*one)[0].programs[0].schedule);
  const TrainingSet set = training();
  EXPECT_EQ(make_ngram_rival(set, 5, 1)->schedule({space}), make_ngram_rival(set, 5, 1)->schedule({space}));
  EXPECT_NE(make_ngram_rival(set, 5, 1)->schedule({space}), make_ngram_rival(set, 5, 2)->schedule({space}));
}

// On latencies that features tell, more samples find faster programs, and the model beats a draw.
TEST(CostModelRival, RanksWhatItDraws) {
  const auto model = fit_cost_model(*training(200), 100000, serial_executor());
  const auto space = Space::build(space::test::matmul(128, 256, 192), two_cores());
  const space::test::SyntheticLatency latency(*space);
  const auto best = [&](int samples) {
    double sum = 0;
    for (uint64_t seed = 0; seed < 5; ++seed)
      sum += std::log(
          latency.ratio(make_cost_model_rival(model, {0, samples}, 1, seed, serial_executor())->schedule({space})[0][0]));
    return sum / 5;
  };
  double drawn = 0;
  for (uint64_t seed = 0; seed < 20; ++seed)
    drawn += std::log(latency.ratio(make_random_rival(1, seed)->schedule({space})[0][0])) / 20;
  const double few = best(10), many = best(400);
  std::printf("log of the speed: %.2f drawn, %.2f best of 10, %.2f best of 400\n", drawn, few, many);
  EXPECT_GT(few, drawn);
  EXPECT_GT(many, few);
  // The same for a seed, and within its time.
  const auto twice = [&] { return make_cost_model_rival(model, {0, 50}, 4, 7, serial_executor())->schedule({space}); };
  EXPECT_EQ(twice(), twice());
  const auto begin = std::chrono::steady_clock::now();
  make_cost_model_rival(model, {0.05, 0}, 4, 7, serial_executor())->schedule({space, space});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_GT(seconds, 0.1);
  EXPECT_LT(seconds, 1);
}

}  // namespace
}  // namespace tlm::eval::test
