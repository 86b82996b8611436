#include "tlm/space/records/refresh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "samples.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"
#include "tlm/space/search/top_k.h"

namespace tlm::space::test {
namespace {

// Ratios by rank of the schedule among those it is handed, times what `factor` says for the batch.
class FakeMeasurer : public Measurer {
 public:
  Batch measure(const Space& space, const std::vector<Schedule>& schedules, const CancelToken& cancel) override {
    cancel.check();
    if (batches == interrupt_at) throw Error(ErrorCode::kInterrupted, "interrupted");
    Batch b;
    b.id = std::to_string(reinterpret_cast<uintptr_t>(this)) + "." + std::to_string(++batches);
    b.anchor_schedule = space.constructive().schedule();
    b.anchor = timed(1);
    for (size_t i = 0; i < schedules.size(); ++i)
      b.programs.push_back(timed(factor(batches) * (2.0 - 0.1 * static_cast<double>(i))));
    b.emitter_version = emitter_version;
    measured += static_cast<int>(schedules.size());
    return b;
  }
  static Measurement timed(double ratio) {
    Measurement m;
    m.status = MeasureStatus::kOk;
    m.samples_ms = {1 / ratio};
    m.median_ms = 1 / ratio;
    m.ratio = ratio;
    return m;
  }
  std::function<double(int batch)> factor = [](int) { return 1.0; };
  int emitter_version = 1, batches = 0, measured = 0, interrupt_at = -1;
};

class RefreshTest : public testing::Test {
 protected:
  // 12 real schedules of each of two workloads, by emitter version 1.
  RefreshTest() : store_(folder_.path() / "r.db") {
    FakeMeasurer measurer;
    for (const int64_t m : {8, 12}) {
      const auto space = small_space(m);
      const auto schedules = random_draws(space, 12, 1);
      EXPECT_EQ(schedules.size(), 12u);
      store_.append(batch_records(*space, schedules, measurer.measure(*space, schedules, {}), "random", 1));
    }
    options_.emitter_version = 2;
  }
  codegen::TempFolder folder_;
  RecordStore store_;
  RefreshOptions options_;
};

TEST_F(RefreshTest, MeasuresTheTopTenOnce) {
  FakeMeasurer measurer;
  measurer.emitter_version = 2;
  RefreshResult r = refresh(store_, measurer, options_);
  EXPECT_EQ(r.workloads, 2);
  EXPECT_EQ(r.schedules, 20);
  EXPECT_EQ(measurer.measured, 20);
  r = refresh(store_, measurer, options_);
  EXPECT_EQ(r.workloads, 0);
  EXPECT_EQ(r.current, 2);
  EXPECT_EQ(measurer.measured, 20);
  options_.all = true;
  EXPECT_EQ(refresh(store_, measurer, options_).schedules, 20);
}

TEST_F(RefreshTest, OthersTakeThePlacesOfThoseThatGotSlower) {
  FakeMeasurer measurer;
  measurer.emitter_version = 2;
  measurer.factor = [](int) { return 0.1; };
  EXPECT_GE(refresh(store_, measurer, options_).schedules, 2 * (10 + 2));
  EXPECT_EQ(refresh(store_, measurer, options_).schedules, 0);
}

TEST_F(RefreshTest, GoesOnAfterAnInterrupt) {
  FakeMeasurer measurer;
  measurer.emitter_version = 2;
  measurer.interrupt_at = 1;
  EXPECT_THROW(refresh(store_, measurer, options_), Error);
  measurer.interrupt_at = -1;
  const RefreshResult r = refresh(store_, measurer, options_);
  EXPECT_EQ(r.current, 1);
  EXPECT_EQ(r.workloads, 1);
}

TEST_F(RefreshTest, OtherMachinesAndLostSchedules) {
  options_.measurable = [](const Target&) { return false; };
  FakeMeasurer measurer;
  EXPECT_EQ(refresh(store_, measurer, options_).foreign, 2);
  EXPECT_EQ(measurer.batches, 0);

  store_.append(made_up_records("made up", 30, 16));  // schedules that no space has
  options_.measurable = nullptr;
  std::string log;
  options_.log = Log([&](LogLevel, std::string_view text) { log += text; });
  measurer.emitter_version = 2;
  const RefreshResult r = refresh(store_, measurer, options_);
  EXPECT_EQ(r.workloads, 2);
  EXPECT_EQ(r.current, 1);
  EXPECT_NE(log.find("no longer in the space: micro.s0=made-up29"), std::string::npos) << log;
}

TEST_F(RefreshTest, NoiseIsTheDeviationOfTheLogarithm) {
  FakeMeasurer measurer;
  const double ratios[] = {1.0, std::exp(0.03), std::exp(0.06)};  // by occasion, two workloads each
  measurer.factor = [&](int batch) { return ratios[(batch - 1) / 2]; };
  NoiseOptions options;
  options.programs = 10;
  const int64_t before = store_.size();
  const Noise n = measure_noise(store_, measurer, options);
  EXPECT_EQ(n.programs, 10);
  EXPECT_EQ(n.workloads, 2);
  EXPECT_NEAR(n.sigma, 0.03, 1e-9);
  EXPECT_NEAR(n.median_sigma, 0.03, 1e-9);
  EXPECT_NEAR(n.p90_sigma, 0.03, 1e-9);
  EXPECT_EQ(measurer.batches, 6);
  EXPECT_GE(store_.size(), before + 30);
}

TEST_F(RefreshTest, NoiseIsOfWorkloadsAndRanksAllOver) {
  RecordStore store(folder_.path() / "many.db");
  FakeMeasurer measurer;
  for (int64_t m = 8; m < 8 + 2 * 12; m += 2) {
    const auto space = small_space(m);
    const auto schedules = random_draws(space, 6, 1);
    store.append(batch_records(*space, schedules, measurer.measure(*space, schedules, {}), "random", 1));
  }
  NoiseOptions options;
  options.programs = 4, options.occasions = 2;
  EXPECT_EQ(measure_noise(store, measurer, options).workloads, 4);
  const std::vector<WorkloadSummary> workloads = store.workloads();
  std::vector<size_t> places;
  std::vector<double> ratios;  // as they were before
  for (size_t i = 0; i < workloads.size(); ++i) {
    const std::vector<Record> records = store.of_workload(workloads[i].workload_hash, workloads[i].target_hash);
    for (const Record& again : records) {
      if (again.origin != "noise" || again.seed != 0) continue;
      places.push_back(i);
      for (const Record& r : records)
        if (r.origin == "random" && r.schedule == again.schedule) ratios.push_back(r.ratio);
    }
  }
  EXPECT_EQ(places, (std::vector<size_t>{2, 5, 8, 11}));
  EXPECT_EQ(ratios, (std::vector<double>{2.0, 1.9, 1.8, 2.0 - 0.1 * 3}));
}

TEST_F(RefreshTest, NoiseOfNothing) {
  RecordStore empty(folder_.path() / "empty.db");
  FakeMeasurer measurer;
  EXPECT_EQ(measure_noise(empty, measurer, {}).programs, 0);
}

}  // namespace
}  // namespace tlm::space::test
