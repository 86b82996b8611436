#include "tlm/lm/training/labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/lm_training/fake_records.h"
#include "tlm/core/error.h"
#include "tlm/core/rng.h"

namespace tlm::lm {
namespace {

using space::MeasureStatus;
using space::Record;

// Of one workload; its split is train.
Record record(const std::string& schedule, double ratio, MeasureStatus status = MeasureStatus::kOk) {
  static const Record base = test::fake_records(test::product_spaces(space::Split::kTrain, 1)[0], 1, 1)[0];
  Record r = base;
  r.schedule = schedule;
  r.source_hash = 0;
  r.status = status;
  r.ratio = ratio;
  r.median_ms = ratio > 0 ? 1 / ratio : 0;  // the anchor always takes a millisecond
  r.unsteady = false;
  return r;
}

std::vector<LabelledProgram> programs_of(const std::vector<Record>& records, LabelCounts* counts = nullptr) {
  Labels labels;
  for (const Record& r : records) labels.add(r);
  auto workloads = labels.take();
  if (counts) *counts = labels.counts();
  return workloads.empty() ? std::vector<LabelledProgram>{} : workloads.at(0).programs;
}

TEST(Labels, MedianOverBatchesFastestFirst) {
  const auto programs = programs_of({record("a", 1), record("b", 2), record("a", 4), record("a", 2.5)});
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[0].schedule, "a");
  EXPECT_NEAR(programs[0].log_ratio, std::log(2.5), 1e-6);
  EXPECT_NEAR(programs[1].log_ratio, std::log(2.0), 1e-6);
}

TEST(Labels, SteadyBatchesCountAlone) {
  Record shaken = record("a", 9);
  shaken.unsteady = true;
  EXPECT_NEAR(programs_of({record("a", 2), shaken})[0].log_ratio, std::log(2.0), 1e-6);
  EXPECT_NEAR(programs_of({shaken})[0].log_ratio, std::log(9.0), 1e-6);  // better than nothing
}

TEST(Labels, DisturbedBatchesDoNotCount) {
  Record slowed = record("a", 9), a_little = record("b", 3);
  slowed.median_ms *= 1.3, a_little.median_ms *= 1.2;
  LabelCounts counts;
  const auto programs = programs_of({slowed, record("a", 2), a_little,
                                     [&] {
                                       Record alone = slowed;
                                       alone.schedule = "c";
                                       return alone;
                                     }()},
                                    &counts);
  ASSERT_EQ(programs.size(), 2u);  // nothing is known about c
  EXPECT_NEAR(programs[0].log_ratio, std::log(3.0), 1e-6);
  EXPECT_NEAR(programs[1].log_ratio, std::log(2.0), 1e-6);
  EXPECT_EQ(counts.disturbed, 2);
}

TEST(Labels, OneProgramHasOneLabel) {
  Record a = record("b", 1), b = record("a", 3);
  a.source_hash = b.source_hash = 77;
  LabelCounts counts;
  const auto programs = programs_of({a, b}, &counts);
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].schedule, "a");  // the first in the order of the texts
  EXPECT_NEAR(programs[0].log_ratio, (std::log(1.0) + std::log(3.0)) / 2, 1e-6);
  EXPECT_EQ(counts.same, 1);
  EXPECT_EQ(counts.programs, 1);
}

TEST(Labels, BrokenProgramsAreLeftOutAndSlowOnesCount) {
  for (const MeasureStatus s :
       {MeasureStatus::kWrong, MeasureStatus::kCrashed, MeasureStatus::kTimedOut, MeasureStatus::kFailed}) {
    LabelCounts counts;
    EXPECT_TRUE(programs_of({record("a", 1), record("a", 0, s)}, &counts).empty());
    EXPECT_EQ(counts.broken, 1);
  }
  const auto programs = programs_of({record("a", 0.2, MeasureStatus::kSlow), record("b", 0.1)});
  EXPECT_EQ(programs[0].schedule, "b");  // slow ones last, whatever their ratio
  EXPECT_TRUE(programs[1].slow);
  EXPECT_FALSE(programs_of({record("a", 0.2, MeasureStatus::kSlow), record("a", 0.3)})[0].slow);
}

TEST(Labels, NewestVersionsAlone) {
  Record old_emitter = record("a", 1), other = record("b", 5), old_space = record("c", 9);
  old_emitter.emitter_version = 0;
  other.emitter_version = 0;
  old_space.space_version -= 1;
  LabelCounts counts;
  const auto programs = programs_of({old_space, old_emitter, record("a", 2), other}, &counts);
  ASSERT_EQ(programs.size(), 2u);  // b: no newer emitter measured it; c: of another space
  EXPECT_EQ(programs[0].schedule, "b");
  EXPECT_NEAR(programs[1].log_ratio, std::log(2.0), 1e-6);
  EXPECT_EQ(counts.older, 2);
}

TEST(Labels, OrderDoesNotMatter) {
  std::vector<Record> records = test::fake_records(test::product_spaces(space::Split::kTrain, 1)[0], 20, 3);
  for (size_t i = 0; i < 8; ++i) records.push_back(records[i]), records.back().ratio *= 1.1, records.back().emitter_version = 2;
  const auto expected = programs_of(records);
  Rng rng(5);
  for (size_t i = records.size(); i > 1; --i) std::swap(records[i - 1], records[rng.below(i)]);
  const auto shuffled = programs_of(records);
  ASSERT_EQ(shuffled.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(shuffled[i].schedule, expected[i].schedule);
    EXPECT_EQ(shuffled[i].log_ratio, expected[i].log_ratio);
  }
}

TEST(Labels, TestWorkloadsAreRefusedByName) {
  const auto space = test::product_spaces(space::Split::kTest, 1)[0];
  Labels labels;
  try {
    labels.add(test::fake_records(space, 1, 1)[0]);
    FAIL() << "a test record was taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(e.what()).find("\"" + space->subgraph().name + "\""), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace tlm::lm
