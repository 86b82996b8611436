#include "tlm/codegen/measure/measurer.h"

#include <gtest/gtest.h>

#include "plant.h"
#include "tlm/codegen/emitter_version.h"
#include "tlm/core/error.h"
#include "workloads.h"

namespace tlm::codegen::test {
namespace {

using space::MeasureStatus;

TEST(Measurer, EveryProgramHasASampleForEachRound) {
  const auto space = small_space();
  const auto schedules = some_schedules(*space, 5);
  const space::Batch batch = make_measurer(quick_options())->measure(*space, schedules, {});
  ASSERT_EQ(batch.programs.size(), 5u);
  EXPECT_EQ(batch.anchor.status, MeasureStatus::kOk) << batch.anchor.reason;
  EXPECT_DOUBLE_EQ(batch.anchor.ratio, 1);
  for (const space::Measurement& m : batch.programs) {
    EXPECT_EQ(m.status, MeasureStatus::kOk) << m.reason;
    EXPECT_EQ(m.samples_ms.size(), 3u);
    EXPECT_GT(m.median_ms, 0);
    EXPECT_DOUBLE_EQ(m.ratio, batch.anchor.median_ms / m.median_ms);
    EXPECT_NE(m.source_hash, 0u);
  }
  EXPECT_FALSE(batch.id.empty());
  EXPECT_FALSE(batch.compiler.empty());
  EXPECT_FALSE(batch.flags.empty());
  EXPECT_EQ(batch.date.size(), 20u) << batch.date;
  EXPECT_EQ(batch.emitter_version, kEmitterVersion);
  EXPECT_EQ(batch.before.gflops, 100);
  EXPECT_EQ(batch.repeats, 0);
  EXPECT_FALSE(batch.unsteady);
  EXPECT_FALSE(has_children());
}

TEST(Measurer, EqualProgramsAreMeasuredOnce) {
  const auto space = small_space();
  auto schedules = some_schedules(*space, 1);
  schedules.push_back(schedules[0]);
  schedules.push_back(space->constructive().schedule());
  const space::Batch batch = make_measurer(quick_options())->measure(*space, schedules, {});
  EXPECT_EQ(batch.programs[0].samples_ms, batch.programs[1].samples_ms);
  EXPECT_EQ(batch.programs[2].samples_ms, batch.anchor.samples_ms);
  EXPECT_EQ(batch.programs[2].source_hash, batch.anchor.source_hash);
  EXPECT_NE(batch.programs[0].samples_ms, batch.anchor.samples_ms);
}

TEST(Measurer, NoScheduleAtAll) {
  const space::Batch batch = make_measurer(quick_options())->measure(*small_space(), {}, {});
  EXPECT_EQ(batch.anchor.status, MeasureStatus::kOk);
  EXPECT_TRUE(batch.programs.empty());
}

// Kernels with workspaces, several phases, index constants, tuple outputs and so on.
TEST(Measurer, EveryKindOfWorkload) {
  const auto measurer = make_measurer(quick_options());
  for (const space::test::Workload& w : space::test::all_workloads()) {
    const auto space = space::Space::build(w.g, host_target());
    const space::Batch batch = measurer->measure(*space, some_schedules(*space, 0), {});
    EXPECT_EQ(batch.anchor.status, MeasureStatus::kOk) << w.name << ": " << batch.anchor.reason;
  }
}

TEST(Measurer, SeveralThreads) {
  const auto space = small_space(3);
  const space::Batch batch = make_measurer(quick_options())->measure(*space, some_schedules(*space, 4), {});
  EXPECT_EQ(batch.threads, 3);
  for (const space::Measurement& m : batch.programs) EXPECT_EQ(m.status, MeasureStatus::kOk) << m.reason;
}

TEST(Measurer, SlowProgramsAreNotRepeated) {
  const auto space = small_space();
  const auto schedules = some_schedules(*space, 3);
  MeasureOptions options = quick_options({{print(schedules[1]), kDelay}});
  options.slow_factor = 100;  // tens of ms instead of microseconds
  const space::Batch batch = make_measurer(options)->measure(*space, schedules, {});
  EXPECT_EQ(batch.programs[1].status, MeasureStatus::kSlow);
  EXPECT_EQ(batch.programs[1].samples_ms.size(), 1u);
  EXPECT_LT(batch.programs[1].ratio, 0.1);
  EXPECT_EQ(batch.anchor.samples_ms.size(), 3u);
}

TEST(Measurer, RepeatsWhenTheProbesMove) {
  std::vector<double> figures = {100, 130, 100, 101};
  size_t next = 0;
  MeasureOptions options = quick_options();
  options.probe = [&] { return space::Probe{100, figures[next++]}; };
  space::Batch batch = make_measurer(options)->measure(*small_space(), {}, {});
  EXPECT_EQ(batch.repeats, 1);
  EXPECT_FALSE(batch.unsteady);
  EXPECT_EQ(batch.before.gbytes_s, 100);
  EXPECT_EQ(batch.after.gbytes_s, 101);
  EXPECT_EQ(batch.anchor.samples_ms.size(), 3u);

  options.probe = [&] { return space::Probe{next++ % 2 ? 80.0 : 100.0, 10}; };
  batch = make_measurer(options)->measure(*small_space(), {}, {});
  EXPECT_EQ(batch.repeats, 2);
  EXPECT_TRUE(batch.unsteady);
}

TEST(Measurer, TheRealProbesSayAnything) {
  MeasureOptions options = quick_options();
  options.probe = nullptr;
  options.max_repeats = 0;
  const space::Batch batch = make_measurer(options)->measure(*small_space(), {}, {});
  EXPECT_GT(batch.before.gflops, 0);
  EXPECT_GT(batch.after.gbytes_s, 0);
}

TEST(Measurer, ForeignTargets) {
  for (const char* name : {"aarch64", "x86-64", "sm_80"}) {
    if (name == std::string(host_arch())) continue;
    try {
      const auto space = space::Space::build(space::test::matmul(4, 4, 4), named_target(name));
      make_measurer(quick_options())->measure(*space, {}, {});
      ADD_FAILURE() << name;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported) << e.what();
    }
  }
}

}  // namespace
}  // namespace tlm::codegen::test
