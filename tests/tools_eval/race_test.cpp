#include "tlm/tools/eval/race/race.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fake_measurer.h"
#include "tlm/space/search/top_k.h"

namespace tlm::eval::test {
namespace {

using space::Schedule;

class RaceTest : public testing::Test {
 protected:
  RaceTest() {
    draws_ = space::random_draws(space_, 24, 1);
    options_.reference = "reference";
    options_.program = [](const space::Space&, const Schedule& s) { return hash(s); };
  }

  Contender contender(const std::string& name, int k, std::vector<Schedule> picks) const {
    return {name, name == "reference" ? "search" : "rival", k, {std::move(picks)}, {0.5}};
  }
  std::vector<Schedule> draws(size_t begin, size_t end) const { return {draws_.begin() + begin, draws_.begin() + end}; }

  RaceRow run(const std::vector<Contender>& contenders) {
    return race(workload_, 0, space_, contenders, selecting_, racing_, options_);
  }
  // Of the measurements before any change.
  double ms(const Schedule& s) const {
    FakeMeasurer plain;
    return plain.measure(*space_, {s}, {}).programs[0].median_ms;
  }
  Schedule fastest(const std::vector<Schedule>& list) const {
    return *std::min_element(list.begin(), list.end(), [&](const Schedule& a, const Schedule& b) { return ms(a) < ms(b); });
  }

  const EvalWorkload workload_ = small_list()[0];
  const std::shared_ptr<const space::Space> space_ = space_of(workload_, machine());
  std::vector<Schedule> draws_;
  FakeMeasurer selecting_, racing_;
  RaceOptions options_;
};

TEST_F(RaceTest, ComparesWithTheReference) {
  const RaceRow row = run({contender("a", 1, draws(0, 3)), contender("reference", 1, draws(3, 4))});
  EXPECT_EQ(selecting_.batches, 0);
  ASSERT_EQ(racing_.batches, 1);
  ASSERT_EQ(row.entries.size(), 2u);
  EXPECT_EQ(row.entries[0].schedule, print(draws_[0]));
  EXPECT_DOUBLE_EQ(row.entries[0].ratio, ms(draws_[3]) / ms(draws_[0]));
  EXPECT_EQ(row.entries[1].ratio, 1);
  EXPECT_DOUBLE_EQ(row.reference_ms, ms(draws_[3]));
  EXPECT_EQ(row.entries[0].seconds, 0.5);
  EXPECT_EQ(row.programs, 2);
}

// k programs are measured in a batch of their own; the samples that chose one do not count for it.
TEST_F(RaceTest, ChoosesByOtherSamplesThanItRunsOn) {
  racing_.change = [](const Schedule&, double ms) { return 3 * ms; };
  const RaceRow row = run({contender("a", 10, draws(0, 12)), contender("reference", 3, draws(12, 15))});
  ASSERT_EQ(selecting_.batches, 1);
  EXPECT_EQ(selecting_.asked[0].size(), 13u);
  EXPECT_EQ(row.entries[0].schedule, print(fastest(draws(0, 10))));
  EXPECT_EQ(row.entries[0].distinct, 10);
  EXPECT_DOUBLE_EQ(row.entries[0].ms, 3 * ms(fastest(draws(0, 10))));
  // All programs of the reference run, the chosen one counts.
  ASSERT_EQ(racing_.batches, 1);
  EXPECT_EQ(racing_.asked[0].size(), 4u);
  EXPECT_EQ(row.entries[1].schedule, print(fastest(draws(12, 15))));
  EXPECT_DOUBLE_EQ(row.reference_best_ms, row.reference_ms);
}

TEST_F(RaceTest, KCountsDistinctPrograms) {
  // Schedules 0 to 3 give one program, 4 to 7 another one, …
  std::map<uint64_t, size_t> number;
  for (size_t i = 0; i < draws_.size(); ++i) number[hash(draws_[i])] = i;
  options_.program = [&](const space::Space&, const Schedule& s) { return 1 + number.at(hash(s)) / 4; };
  const RaceRow row = run({contender("a", 3, draws(0, 20)), contender("reference", 1, draws(1, 2))});
  EXPECT_EQ(row.entries[0].distinct, 3);
  EXPECT_EQ(row.entries[0].duplicates, 6);
  EXPECT_EQ(selecting_.asked[0], (std::vector<Schedule>{draws_[0], draws_[4], draws_[8]}));
}

// Equal programs of several contenders are measured once.
TEST_F(RaceTest, SharesPrograms) {
  const RaceRow row =
      run({contender("a", 1, draws(0, 1)), contender("b", 1, draws(0, 1)), contender("reference", 1, draws(0, 1))});
  EXPECT_EQ(racing_.asked[0].size(), 1u);
  EXPECT_EQ(row.entries[1].ratio, 1);
}

TEST_F(RaceTest, ManyProgramsRunInSeveralBatchesWithTheReference) {
  options_.most_programs = 4;
  // Each batch finds the machine slower than the one before: only ratios within a batch are right.
  racing_.change = [&](const Schedule&, double ms) { return ms * racing_.batches; };
  std::vector<Contender> all = {contender("reference", 1, draws(20, 21))};
  for (size_t i = 0; i < 8; ++i) all.push_back(contender(std::to_string(i), 1, draws(i, i + 1)));
  const RaceRow row = run(all);
  EXPECT_EQ(racing_.batches, 3);
  for (size_t i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(row.entries[i + 1].ratio, ms(draws_[20]) / ms(draws_[i]));
}

TEST_F(RaceTest, WithoutAReferenceTheFastestIsIt) {
  options_.reference.clear();
  const RaceRow row = run({contender("a", 1, draws(0, 1)), contender("b", 1, draws(1, 2)), contender("none", 1, {})});
  ASSERT_EQ(row.entries.size(), 2u);
  EXPECT_DOUBLE_EQ(std::max(row.entries[0].ratio, row.entries[1].ratio), 1);
  EXPECT_DOUBLE_EQ(row.reference_ms, std::min(ms(draws_[0]), ms(draws_[1])));
}

TEST_F(RaceTest, WrongProgramsHaveNoRatioAndAreNotChosen) {
  const Schedule wrong = fastest(draws(0, 5));
  selecting_.change = racing_.change = [&](const Schedule& s, double ms) { return s == wrong ? 0 : ms; };
  const RaceRow row = run({contender("a", 5, draws(0, 5)), contender("b", 1, {wrong}), contender("reference", 1, draws(9, 10))});
  EXPECT_NE(row.entries[0].schedule, print(wrong));
  EXPECT_GT(row.entries[0].ratio, 0);
  EXPECT_EQ(row.entries[1].status, "wrong");
  EXPECT_EQ(row.entries[1].ratio, 0);
}

TEST_F(RaceTest, TheRoofIsTheSlowerOfWorkAndMemory) {
  const ir::Subgraph& g = space_->subgraph();
  EXPECT_DOUBLE_EQ(run({contender("reference", 1, draws(0, 1))}).roof_ms, ir::flops(g) / 100e6);  // the fake probe
  options_.peak = [](int cores) { return 100.0 * cores; };
  EXPECT_DOUBLE_EQ(run({contender("reference", 1, draws(0, 1))}).roof_ms, ir::flops(g) / 200e6);
  options_.stream = [](int cores, double) { return cores == 2 ? 1e-3 : 0; };
  EXPECT_DOUBLE_EQ(run({contender("reference", 1, draws(0, 1))}).roof_ms, ir::port_bytes(g) / 1e3);
}

}  // namespace
}  // namespace tlm::eval::test
