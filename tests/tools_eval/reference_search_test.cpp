#include "tlm/tools/eval/reference/reference_search.h"

#include <gtest/gtest.h>

#include <set>

#include "fake_measurer.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"
#include "tlm/space/records/record_store.h"

namespace tlm::eval::test {
namespace {

class ReferenceSearchTest : public testing::Test {
 protected:
  ReferenceOptions options() const {
    ReferenceOptions o;
    o.records = folder_.path() / "r.db";
    o.machine = machine();
    o.trials = 80;
    o.prefixes = {32, 64, 1000};
    return o;
  }

  codegen::TempFolder folder_;
};

// All but times, which are never the same twice.
std::string untimed(Reference r) {
  r.seconds = 0;
  for (ReferencePrefix& p : r.after) p.seconds = 0;
  for (CurvePoint& p : r.curve) p.seconds = 0;
  return reference_line(r);
}

TEST_F(ReferenceSearchTest, FindsPrefixesAndCurve) {
  FakeMeasurer measurer, confirming;
  const ReferenceResult result = search_references(small_list(), measurer, confirming, options());
  ASSERT_EQ(result.references.size(), 3u);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.measured, 240);
  EXPECT_EQ(confirming.batches, 3);
  for (const Reference& r : result.references) {
    EXPECT_EQ(r.trials, 80);
    ASSERT_EQ(r.top.size(), 3u);
    EXPECT_GE(r.top[0].ratio, r.top[1].ratio);
    ASSERT_EQ(r.after.size(), 3u);  // 32, 64 and all
    EXPECT_EQ(r.after[2].trials, 80);
    EXPECT_EQ(r.after[2].best.schedule, r.top[0].schedule);
    for (size_t i = 1; i < r.after.size(); ++i) {
      EXPECT_GT(r.after[i].seconds, r.after[i - 1].seconds);
      EXPECT_GE(r.after[i].best.ratio, r.after[i - 1].best.ratio);
    }
    EXPECT_EQ(r.after[2].seconds, r.seconds);
    ASSERT_GE(r.curve.size(), 2u);
    EXPECT_EQ(r.curve.back().trials, 80);
    EXPECT_NEAR(r.curve.back().ms, r.constructive_ms / r.top[0].ratio, 1e-9);
    EXPECT_EQ(parse_references(reference_line(r), "r").at(0).top[0].schedule, r.top[0].schedule);
    EXPECT_EQ(reference_line(parse_references(reference_line(r), "r").at(0)), reference_line(r));
  }
}

// Stopped before any batch, it goes on with the next run, and the end is that of a search in one go.
TEST_F(ReferenceSearchTest, GoesOnAfterEveryStop) {
  FakeMeasurer whole_measurer, measurer, confirming;
  ReferenceOptions whole = options();
  whole.records = folder_.path() / "whole.db";
  const ReferenceResult expected = search_references(small_list(), whole_measurer, confirming, whole);
  ReferenceResult result;
  int runs = 0;
  for (; runs < 20; ++runs) {
    ReferenceOptions o = options();
    const int before = measurer.batches;
    o.stop = [&] { return measurer.batches >= before + 2; };
    result = search_references(small_list(), measurer, confirming, o);
    if (!result.stopped) break;
  }
  EXPECT_GE(runs, 6);
  EXPECT_EQ(measurer.asked, whole_measurer.asked);
  ASSERT_EQ(result.references.size(), expected.references.size());
  for (size_t i = 0; i < expected.references.size(); ++i) {
    EXPECT_EQ(untimed(result.references[i]), untimed(expected.references[i]));
    EXPECT_GT(result.references[i].seconds, 0);
  }
  const ReferenceResult again = search_references(small_list(), measurer, confirming, options());
  EXPECT_EQ(again.measured, 0);
  EXPECT_EQ(reference_line(again.references[0]), reference_line(result.references[0]));
}

// The search of one workload does not depend on what was measured of others.
TEST_F(ReferenceSearchTest, EachWorkloadByItself) {
  FakeMeasurer all, alone, confirming;
  search_references(small_list(), all, confirming, options());
  ReferenceOptions o = options();
  o.records = folder_.path() / "alone.db";
  search_references({small_list()[1]}, alone, confirming, o);
  const std::vector<std::vector<space::Schedule>> second(all.asked.begin() + 5, all.asked.begin() + 10);
  EXPECT_EQ(alone.asked, second);
}

TEST_F(ReferenceSearchTest, RefusesTheRecordsOfAnotherSeed) {
  FakeMeasurer measurer, confirming;
  search_references(small_list(), measurer, confirming, options());
  ReferenceOptions other = options();
  other.seed = 7;
  EXPECT_THROW(search_references(small_list(), measurer, confirming, other), Error);
}

// Whatever is cancelled is an interrupt; what was measured stays.
TEST_F(ReferenceSearchTest, CancelKeepsBatches) {
  FakeMeasurer measurer, confirming;
  ReferenceOptions o = options();
  measurer.change = [&](const space::Schedule&, double ms) {
    if (measurer.batches == 3) o.cancel.cancel();
    return ms;
  };
  try {
    search_references(small_list(), measurer, confirming, o);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
  }
  std::set<std::string> batches;
  space::RecordStore(o.records).for_each([&](const space::Record& r) { batches.insert(r.batch); });
  EXPECT_EQ(batches.size(), 3u);
}

TEST(ReferenceFile, NamesTheBadLine) {
  for (const char* text : {"\n{}", "\nnonsense", "\n{\"name\":\"a\",\"workload\":\"zz\"}"}) {
    try {
      parse_references(text, "file");
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.where(), "file:2");
    }
  }
}

}  // namespace
}  // namespace tlm::eval::test
