#include "tlm/tools/eval/reference/search_history.h"

#include <gtest/gtest.h>

#include "tlm/space/schedule.h"

namespace tlm::eval::test {
namespace {

using space::MeasureStatus;
using space::Record;

Record record(const std::string& batch, const std::string& schedule, double ratio, const std::string& origin = "search",
              MeasureStatus status = MeasureStatus::kOk) {
  Record r;
  r.batch = batch;
  r.schedule = schedule;
  r.schedule_hash = hash(space::parse_schedule(schedule));
  r.source_hash = r.schedule_hash;
  r.origin = origin;
  r.status = status;
  r.ratio = ratio;
  r.median_ms = ratio > 0 ? 10 / ratio : 0;
  return r;
}

std::vector<Record> two_batches() {
  return {record("1", "x=1", 1.5),
          record("1", "x=2", 2.0),
          record("1", "x=0", 1, "constructive"),
          record("2", "x=2", 1.0),  // the best known is measured again
          record("2", "x=3", 1.8),
          record("2", "x=4", 9, "search", MeasureStatus::kSlow),
          record("2", "x=5", 0, "search", MeasureStatus::kWrong),
          record("2", "x=0", 1, "constructive")};
}

TEST(SearchHistory, CountsDistinctSchedulesAndSumsTime) {
  const SearchHistory h(two_batches(), {{"1", 2.5}, {"2", 3}, {"other", 100}});
  ASSERT_EQ(h.points().size(), 2u);
  EXPECT_EQ(h.points()[0].trials, 2);
  EXPECT_EQ(h.points()[1].trials, 5);  // wrong and slow ones were trials, too
  EXPECT_EQ(h.points()[0].seconds, 2.5);
  EXPECT_EQ(h.points()[1].seconds, 5.5);
  EXPECT_EQ(h.anchor_ms(), 10);
  EXPECT_EQ(&h.at(1), &h.points()[0]);
  EXPECT_EQ(&h.at(2), &h.points()[0]);
  EXPECT_EQ(&h.at(3), &h.points()[1]);
  EXPECT_EQ(&h.at(1000), &h.points()[1]);
}

// A schedule's ratio is the median over its batches; slow and wrong ones are never the best.
TEST(SearchHistory, RanksByMedians) {
  const SearchHistory h(two_batches(), {});
  EXPECT_EQ(h.points()[0].top, (std::vector<std::string>{"x=2", "x=1"}));
  const std::vector<std::string>& top = h.points()[1].top;
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0], "x=3");
  EXPECT_EQ(h.ratio("x=2"), 1.5);
  EXPECT_EQ(h.ratio("x=9"), 0);
}

TEST(SearchHistory, TheLastConfirmationDecides) {
  std::vector<Record> records = two_batches();
  EXPECT_TRUE(SearchHistory(records, {}).confirmed().empty());
  records.push_back(record("3", "x=1", 5, "confirm"));
  for (const auto& [schedule, ratio] : {std::pair{"x=1", 1.4}, {"x=2", 1.9}, {"x=3", 1.7}})
    records.push_back(record("4", schedule, ratio, "confirm"));
  const SearchHistory h(records, {});
  EXPECT_EQ(h.trials(), 5);  // no trials
  ASSERT_EQ(h.confirmed().size(), 3u);
  EXPECT_EQ(h.confirmed()[0].schedule, "x=2");
  EXPECT_EQ(h.confirmed()[2].schedule, "x=1");
  EXPECT_EQ(h.best_confirmed({"x=1", "x=3"})->ratio, 1.7);
  EXPECT_EQ(h.best_confirmed({"x=4"}), nullptr);
}

}  // namespace
}  // namespace tlm::eval::test
