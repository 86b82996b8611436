// What is known is not measured again; what is measured is kept, batch by batch.
#include "tlm/space/records/recorded_measurer.h"

#include <gtest/gtest.h>

#include <set>

#include "samples.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"
#include "tlm/space/search/top_k.h"

namespace tlm::space::test {
namespace {

// The anchor of batch n takes n ms; what a schedule's ratio is follows from its hash, and one in four is wrong.
class FakeMeasurer : public Measurer {
 public:
  Batch measure(const Space& space, const std::vector<Schedule>& schedules, const CancelToken&) override {
    if (batches + 1 == interrupt_at) throw Error(ErrorCode::kInterrupted, "interrupted");
    Batch b;
    b.id = std::to_string(++batches);
    b.emitter_version = emitter_version;
    b.anchor_schedule = other_anchor.choices.empty() ? space.constructive().schedule() : other_anchor;
    b.anchor = timed(1);
    for (const Schedule& s : schedules) {
      Measurement wrong;
      wrong.status = MeasureStatus::kWrong;
      wrong.reason = "differs by 1";
      b.programs.push_back(hash(s) % 4 == 0 ? wrong : timed(ratio(s)));
    }
    most = std::max(most, schedules.size());
    return b;
  }
  double ratio(const Schedule& s) const { return factor * static_cast<double>(1 + hash(s) % 100) / 50; }
  Measurement timed(double ratio) const {
    Measurement m;
    m.status = MeasureStatus::kOk;
    m.ratio = ratio;
    m.median_ms = batches / ratio;
    m.samples_ms = {m.median_ms};
    m.source_hash = 7;
    return m;
  }
  size_t most = 0;
  int batches = 0, interrupt_at = -1, emitter_version = 1;
  double factor = 1;
  Schedule other_anchor;
};

class RecordedMeasurerTest : public testing::Test {
 protected:
  RecordedMeasurerTest() : space_(small_space()), schedules_(random_draws(space_, 81, 1)), store_(folder_.path() / "r.db") {
    std::erase(schedules_, constructive_variations(space_, 1).at(0));
    schedules_.resize(80);
  }
  std::vector<Schedule> first(size_t n) const { return {schedules_.begin(), schedules_.begin() + static_cast<int>(n)}; }

  codegen::TempFolder folder_;
  std::shared_ptr<const Space> space_;
  std::vector<Schedule> schedules_;  // distinct, without the anchor
  RecordStore store_;
  FakeMeasurer machine_;
};

TEST_F(RecordedMeasurerTest, CutsLongListsAndGoesOnAfterAnInterrupt) {
  machine_.interrupt_at = 3;
  EXPECT_THROW(RecordedMeasurer(machine_, &store_, "lm m", 5).measure(*space_, schedules_, {}), Error);
  EXPECT_EQ(machine_.most, RecordedMeasurer::kMostAtOnce);
  EXPECT_EQ(store_.size(), 64 + 2) << "two batches, each with its anchor";

  machine_.interrupt_at = -1;
  RecordedMeasurer again(machine_, &store_, "lm m", 5);
  const Batch whole = again.measure(*space_, schedules_, {});
  EXPECT_EQ(again.known(), 64);
  EXPECT_EQ(again.measured(), 16);
  EXPECT_EQ(machine_.batches, 3);
  EXPECT_EQ(store_.size(), 80 + 3);
  EXPECT_EQ(whole.id, "3");
  EXPECT_EQ(whole.anchor.median_ms, 3);
  ASSERT_EQ(whole.programs.size(), 80u);
  int wrong = 0;
  for (size_t i = 0; i < 80; ++i) {
    const Measurement& m = whole.programs[i];
    if (hash(schedules_[i]) % 4 == 0) {
      ++wrong;
      EXPECT_EQ(m.status, MeasureStatus::kWrong);
      EXPECT_EQ(m.reason, "differs by 1");
      EXPECT_FALSE(m.timed());
      continue;
    }
    EXPECT_EQ(m.status, MeasureStatus::kOk);
    EXPECT_DOUBLE_EQ(m.ratio, machine_.ratio(schedules_[i]));
    EXPECT_DOUBLE_EQ(m.median_ms, 3 / m.ratio) << "as if all had been in the last batch";
    EXPECT_EQ(m.source_hash, 7u);
  }
  EXPECT_GT(wrong, 0);
  std::set<std::string> of_the_model;
  store_.for_each([&](const Record& r) {
    if (r.origin == "constructive") return;
    EXPECT_EQ(r.origin, "lm m");
    EXPECT_EQ(r.seed, 5u);
    EXPECT_TRUE(of_the_model.insert(r.schedule).second) << "measured twice: " << r.schedule;
  });
  EXPECT_EQ(of_the_model.size(), 80u);

  // Everything is known: nothing is measured, the anchor is that of the newest record.
  const Batch known = again.measure(*space_, first(5), {});
  EXPECT_EQ(machine_.batches, 3);
  EXPECT_EQ(again.known(), 64 + 5);
  EXPECT_EQ(known.anchor.median_ms, 3);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(known.programs[i].ratio, whole.programs[i].ratio);
}

TEST_F(RecordedMeasurerTest, TheNewestRecordOfTheNewestEmitterCounts) {
  machine_.emitter_version = 2;
  RecordedMeasurer(machine_, &store_, "random", 0).measure(*space_, schedules_, {});
  for (const auto& [version, factor] : {std::pair{1, 10.0}, std::pair{2, 3.0}}) {
    machine_.emitter_version = version;
    machine_.factor = factor;
    store_.append(batch_records(*space_, schedules_, machine_.measure(*space_, schedules_, {}), "random", 0));
  }
  const Batch known = RecordedMeasurer(machine_, &store_, "random", 0).measure(*space_, schedules_, {});
  for (size_t i = 0; i < schedules_.size(); ++i)
    if (known.programs[i].timed()) {
      EXPECT_DOUBLE_EQ(known.programs[i].ratio, machine_.ratio(schedules_[i]));
    }
}

// The constructive scheduler was another one then, or the target is: ratios mean something else.
TEST_F(RecordedMeasurerTest, OtherAnchorsAndTargetsAreNotKnown) {
  machine_.other_anchor = parse_schedule("micro.s0=made-up");
  store_.append(batch_records(*space_, first(4), machine_.measure(*space_, first(4), {}), "random", 0));
  machine_.other_anchor = {};
  RecordedMeasurer recorded(machine_, &store_, "random", 0);
  recorded.measure(*space_, first(4), {});
  EXPECT_EQ(recorded.measured(), 4);
  recorded.measure(*space_, first(4), {});
  EXPECT_EQ(recorded.measured(), 4);
  Target two = space_->target();
  two.cores = space_->target().cores + 1;
  recorded.measure(*Space::build(space_->subgraph(), two), first(4), {});
  EXPECT_EQ(recorded.measured(), 8);
}

TEST_F(RecordedMeasurerTest, WithoutRecordsListsAreCutAndNothingIsKept) {
  RecordedMeasurer recorded(machine_, nullptr, "random", 0);
  EXPECT_EQ(recorded.measure(*space_, schedules_, {}).programs.size(), 80u);
  EXPECT_EQ(machine_.batches, 3);
  recorded.measure(*space_, first(3), {});
  EXPECT_EQ(recorded.measured(), 83);
  EXPECT_EQ(recorded.known(), 0);
}

TEST_F(RecordedMeasurerTest, CanBeCancelled) {
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(RecordedMeasurer(machine_, &store_, "random", 0).measure(*space_, schedules_, cancel), Error);
  EXPECT_EQ(machine_.batches, 0);
}

}  // namespace
}  // namespace tlm::space::test
