// Where a network's trials go, on workloads whose progress is known beforehand.
#include "tlm/space/search/task_scheduler.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tlm::space::test {
namespace {

// A workload whose best latency falls from `start` towards `floor`.
struct Curve {
  int count;
  double start, floor;
  double at(int batches) const { return floor + (start - floor) * std::exp(-0.4 * batches); }
};

const std::vector<Curve> kNetwork = {{1, 10, 2}, {8, 2, 1.9}, {4, 1, 0.3}, {1, 0.01, 0.005}, {2, 0.5, 0.5}};

double network_ms(const std::vector<int>& batches) {
  double ms = 0;
  for (size_t i = 0; i < kNetwork.size(); ++i) ms += kNetwork[i].count * kNetwork[i].at(batches[i]);
  return ms;
}

std::vector<int> counts() {
  std::vector<int> out;
  for (const Curve& c : kNetwork) out.push_back(c.count);
  return out;
}

TEST(TaskScheduler, EachOnceThenWhereMostIsGained) {
  TaskScheduler s(counts(), 1000);
  std::vector<int> batches(kNetwork.size(), 0);
  for (int b = 0; b < 20; ++b) {
    const int task = s.next();
    ASSERT_GE(task, 0);
    if (b < 5) {
      EXPECT_EQ(task, b) << "a warm-up batch for each";
    }
    ++batches[static_cast<size_t>(task)];
    s.record(task, 16, kNetwork[static_cast<size_t>(task)].at(batches[static_cast<size_t>(task)]));
  }
  EXPECT_GT(batches[0], 4) << "long and getting faster";
  EXPECT_EQ(batches[3], 1) << "too short to matter";
  std::vector<int> evenly(kNetwork.size(), 4), none(kNetwork.size(), 0);
  EXPECT_LT(network_ms(batches), network_ms(evenly));
  EXPECT_LT(network_ms(evenly), network_ms(none));
}

TEST(TaskScheduler, NoWorkloadGetsMoreThanItsTrials) {
  TaskScheduler s(counts(), 40);
  std::vector<int> trials(kNetwork.size(), 0);
  int batches = 0;
  for (int task = s.next(); task >= 0; task = s.next()) {
    ASSERT_LT(++batches, 100);
    const int n = std::min(16, s.budget(task));
    trials[static_cast<size_t>(task)] += n;
    s.record(task, n, 1);
  }
  for (int t : trials) EXPECT_EQ(t, 40);
}

TEST(TaskScheduler, ExhaustedSpacesAreLeftAlone) {
  TaskScheduler s({1, 1}, 100);
  s.record(0, 16, 5);
  s.exhausted(0);
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(s.next(), 1);
    s.record(1, 16, 1);
  }
  EXPECT_EQ(s.next(), -1);
}

TEST(TaskScheduler, NothingToDo) {
  EXPECT_EQ(TaskScheduler({}, 10).next(), -1);
  EXPECT_EQ(TaskScheduler({1, 2}, 0).next(), -1);
}

}  // namespace
}  // namespace tlm::space::test
