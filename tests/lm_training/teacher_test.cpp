// What a teacher says of workloads that nobody measured.
#include "tlm/lm/training/teacher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/lm_training/fake_records.h"
#include "tests/space/workloads.h"
#include "tlm/core/thread_pool.h"
#include "tlm/space/search/top_k.h"

namespace tlm::lm {
namespace {

using space::Schedule;
using space::Space;

std::string anything(const ir::Subgraph&, const Target&) { return ""; }

TEST(Projection, IntoItsOwnSpaceChangesNothing) {
  for (const space::test::Workload& w : space::test::all_workloads()) {
    const auto space = Space::build(w.g, named_target("x86-64-v3"));
    for (const Schedule& s : space::random_draws(space, 3, 9))
      EXPECT_EQ(print(RecordedChoices(space->replay(s).value()).project(*space).schedule()), print(s));
  }
}

// Register tiles of a product are taken over by a larger one.
TEST(Projection, KeepsSizesWhereTheyAreLegal) {
  const Target target = named_target("x86-64-v3");
  const auto small = Space::build(space::test::matmul(64, 128, 96), target),
             large = Space::build(space::test::matmul(640, 1280, 960), target);
  int same = 0, all = 0;
  for (const Schedule& s : space::random_draws(small, 20, 2)) {
    const Schedule p = RecordedChoices(small->replay(s).value()).project(*large).schedule();
    for (const auto& [name, text] : s.choices) {
      if (!name.starts_with("micro")) continue;
      ++all;
      same += p.find(name) && *p.find(name) == text;
    }
  }
  EXPECT_GE(all, 20);
  EXPECT_GE(same, all - 2);
}

TEST(Neighbours, TheNearestHaveTheStructureThenTheSizes) {
  const Target target = named_target("x86-64-v3");
  std::vector<MeasuredWorkload> measured;
  for (const ir::Subgraph& g : {space::test::softmax(256, 512), space::test::matmul(64, 128, 96),
                                space::test::matmul(256, 512, 384), space::test::convolution(28, 32, 64, 3, 1)})
    measured.push_back({g, target, {}});
  const Neighbours neighbours(measured);
  const std::vector<size_t> near = neighbours.nearest(space::test::matmul(256, 514, 384), target, 3);
  ASSERT_EQ(near.size(), 3u);
  EXPECT_EQ(near[0], 2u);
  EXPECT_EQ(near[1], 1u);
  EXPECT_EQ(neighbours.nearest(space::test::softmax(10, 20), target, 9).size(), 4u) << "there are no more";
}

// The truth here is the machine model's cycles: what the teacher likes best is faster than nearly all random schedules, and of
// two of its schedules that differ the one that it foretells to be faster mostly is.
TEST(Teacher, ForetellsWhatWasNotMeasured) {
  const auto seen = test::product_spaces(space::Split::kTrain, 24), unseen = test::product_spaces(space::Split::kDev, 6);
  const Teacher teacher(measured_workloads(test::fake_labels(seen, 64), anything), shared_thread_pool());
  int agree = 0, pairs = 0;
  double logs = 0;
  for (size_t i = 0; i < unseen.size(); ++i) {
    const auto programs = teacher.programs(*unseen[i], 12);
    ASSERT_GE(programs.size(), 2u);
    ASSERT_LE(programs.size(), 12u);
    EXPECT_EQ(programs[0].second, 0);
    std::vector<double> ms;
    for (const auto& [walk, gap] : programs) ms.push_back(test::fake_ms(walk));
    double best = 1e300;
    for (const space::Record& r : test::fake_records(unseen[i], 64, 1000 + i)) best = std::min(best, r.median_ms);
    logs += std::log(best / ms[0]);
    for (size_t a = 0; a < ms.size(); ++a)
      for (size_t b = a + 1; b < ms.size(); ++b) {
        EXPECT_LE(programs[a].second, programs[b].second) << "the fastest first";
        if (std::abs(std::log(ms[a] / ms[b])) > 0.2) ++pairs, agree += ms[a] < ms[b];
      }
  }
  const double quality = std::exp(logs / static_cast<double>(unseen.size()));
  std::printf("of %d pairs that differ, %d are in the right order; the first is %.3f of the best of 64 random ones\n", pairs,
              agree, quality);
  EXPECT_GT(quality, 0.9);
  EXPECT_GE(agree, 0.7 * pairs);
}

TEST(Teacher, DoesNotDependOnTheExecutor) {
  const auto seen = test::product_spaces(space::Split::kTrain, 4);
  const auto measured = measured_workloads(test::fake_labels(seen, 20), anything);
  const Teacher one(measured, serial_executor()), other(measured, shared_thread_pool());
  const auto space = test::product_spaces(space::Split::kDev, 1)[0];
  const auto a = one.programs(*space, 5), b = other.programs(*space, 5);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first.schedule(), b[i].first.schedule());
    EXPECT_EQ(a[i].second, b[i].second);
  }
}

}  // namespace
}  // namespace tlm::lm
