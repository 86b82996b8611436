#include "tlm/core/thread_pool.h"

#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "count_allocations.h"
#include "support.h"
#include "tlm/core/target.h"

namespace tlm {
namespace {

// Calls f(index, worker) for each index.
template <typename F>
void parallel(Executor& executor, int64_t count, F f) {
  executor.parallel_for(
      count, [](void* context, int64_t index, int worker) { (*static_cast<F*>(context))(index, worker); }, &f);
}

TEST(SerialExecutor, RunsInOrderOnTheCaller) {
  std::vector<int64_t> seen;
  const auto self = std::this_thread::get_id();
  parallel(serial_executor(), 4, [&](int64_t i, int worker) {
    seen.push_back(i);
    EXPECT_EQ(worker, 0);
    EXPECT_EQ(std::this_thread::get_id(), self);
  });
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(serial_executor().width(), 1);
}

class Pool : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  ThreadPoolOptions options() const { return {.width = std::get<0>(GetParam()), .spin_us = std::get<1>(GetParam())}; }
};

TEST_P(Pool, RunsEveryIndexOnceWithWorkersOfItsOwn) {
  ThreadPool pool(options());
  ASSERT_EQ(pool.width(), std::get<0>(GetParam()));
  std::vector<std::atomic<int>> workers(static_cast<size_t>(pool.width()));
  for (int round = 0; round < 3000; ++round) {
    const int64_t count = round % 70;
    std::vector<std::atomic<int>> hits(70);
    parallel(pool, count, [&](int64_t i, int worker) {
      ASSERT_GE(worker, 0);
      ASSERT_LT(worker, pool.width());
      EXPECT_EQ(workers[static_cast<size_t>(worker)].fetch_add(1), 0) << "a worker id used twice at a time";
      ++hits[static_cast<size_t>(i)];
      workers[static_cast<size_t>(worker)].fetch_sub(1);
    });
    for (int64_t i = 0; i < 70; ++i) ASSERT_EQ(hits[static_cast<size_t>(i)], i < count) << round;
  }
}

// What the bodies wrote without any synchronisation of their own is there afterwards (ThreadSanitizer looks too).
TEST_P(Pool, ReturnsAfterAllBodiesAndPublishesTheirWrites) {
  ThreadPool pool(options());
  std::vector<int64_t> values(1000);
  int64_t expected = 0;
  for (int round = 1; round <= 200; ++round) {
    parallel(pool, 1000, [&](int64_t i, int) { values[static_cast<size_t>(i)] += i * round; });
    expected += 999 * 500 * round;
    int64_t sum = 0;
    for (const int64_t v : values) sum += v;
    ASSERT_EQ(sum, expected);
  }
}

TEST_P(Pool, CallersFromManyThreadsDoNotDisturbOneAnother) {
  ThreadPool pool(options());
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (int round = 0; round < 300; ++round) {
        std::vector<int> own(20);  // unsynchronised: only this loop's bodies touch it
        parallel(pool, 20, [&](int64_t i, int) { own[static_cast<size_t>(i)] += static_cast<int>(i) + t; });
        for (int i = 0; i < 20; ++i) ASSERT_EQ(own[static_cast<size_t>(i)], i + t);
        total += 20;
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(total, 4 * 300 * 20);
}

TEST_P(Pool, ALoopInsideABodyRunsAlone) {
  ThreadPool pool(options());
  std::atomic<int> inner{0};
  parallel(pool, 8, [&](int64_t, int) {
    parallel(pool, 5, [&](int64_t, int worker) {
      EXPECT_EQ(worker, 0);
      ++inner;
    });
  });
  // One loop of one index is run by its caller and leaves the pool free for the loop inside.
  parallel(pool, 1, [&](int64_t, int) { parallel(pool, 5, [&](int64_t, int) { ++inner; }); });
  EXPECT_EQ(inner, 45);
}

TEST_P(Pool, StartsAndStops) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(options());
    if (i % 2) parallel(pool, i, [](int64_t, int) {});
  }
}

TEST_P(Pool, AllocatesNothing) {
  ThreadPool pool(options());
  parallel(pool, 100, [](int64_t, int) {});
  const test::CountAllocations counter;
  for (int round = 0; round < 100; ++round) parallel(pool, 100, [](int64_t, int) {});
  EXPECT_EQ(counter.count(), 0);
}

TEST(CountAllocations, Counts) {
  const test::CountAllocations counter;
  const auto p = std::make_unique<std::vector<int>>(100);
  EXPECT_GE(counter.count(), 2);
}

INSTANTIATE_TEST_SUITE_P(WidthsAndSpins, Pool, testing::Combine(testing::Values(1, 2, 3, 8), testing::Values(0, 50)));

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(ThreadPool, SleepsWhenIdle) {
  ThreadPool pool({.width = 4, .spin_us = 50});
  parallel(pool, 100, [](int64_t, int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(cpu_seconds() - before, 0.005);
}

TEST(ThreadPool, WorkersShareTheWork) {
  ThreadPool pool({.width = 2});
  // Each body waits for the other: this ends only if two threads run at once.
  std::atomic<int> here{0};
  parallel(pool, 2, [&](int64_t, int) {
    ++here;
    while (here < 2) std::this_thread::yield();
  });
  EXPECT_EQ(here, 2);
}

TEST(ThreadPool, WorkersStayOffTheCoreOfTheCaller) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs two cores";
  ThreadPool pool({.width = 2});
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &before)) continue;
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(core, &here);
    ASSERT_EQ(sched_setaffinity(0, sizeof(here), &here), 0);
    std::atomic<bool> started = false, shared_core = false;
    parallel(pool, 2, [&](int64_t, int worker) {
      if (worker == 0) {  // leaves the other index to the worker
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!started && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
        return;
      }
      cpu_set_t mine;
      shared_core = sched_getaffinity(0, sizeof(mine), &mine) == 0 && CPU_ISSET(core, &mine);
      started = true;
    });
    EXPECT_TRUE(started);
    EXPECT_FALSE(shared_core) << "core " << core;
  }
  sched_setaffinity(0, sizeof(before), &before);
}

TEST(ThreadPool, DefaultWidthIsTheMachines) {
  EXPECT_EQ(ThreadPool().width(), usable_cores());
  EXPECT_EQ(&shared_thread_pool(), &shared_thread_pool());
}

}  // namespace
}  // namespace tlm
