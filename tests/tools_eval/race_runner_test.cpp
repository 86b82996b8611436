#include "tlm/tools/eval/race/race_runner.h"

#include <gtest/gtest.h>

#include "fake_measurer.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/tools/eval/race/race_file.h"
#include "tlm/tools/eval/rivals/rivals.h"

namespace tlm::eval::test {
namespace {

class RaceRunnerTest : public testing::Test {
 protected:
  RaceRunnerTest() {
    options_.folder = folder_.path() / "race";
    options_.machine = machine();
    options_.race.reference = "random k=4";
    options_.race.program = [](const space::Space&, const space::Schedule& s) { return hash(s); };
  }

  std::vector<Entrant> entrants(const std::string& fingerprint = "1") {
    return {{"constructive", "rival", 1, "1",
             [this](const auto&) {
               ++made_;
               return make_constructive_rival(1);
             }},
            {"random k=4", "rival", 4, fingerprint, [this](const std::vector<Contender>& before) {
               ++made_;
               EXPECT_EQ(before.size(), 1u);
               return make_random_rival(5, 3);
             }}};
  }
  RaceResult run(const std::string& fingerprint = "1") {
    return run_race(small_list(), {}, entrants(fingerprint), selecting_, racing_, options_);
  }

  codegen::TempFolder folder_;
  FakeMeasurer selecting_, racing_;
  RaceRunOptions options_;
  int made_ = 0;
};

std::string lines(const std::vector<RaceRow>& rows) {
  std::string all;
  for (const RaceRow& r : rows) all += row_line(r) + "\n";
  return all;
}

TEST_F(RaceRunnerTest, GoesOnAfterAStop) {
  options_.stop = [&] { return racing_.batches == 1; };
  const RaceResult part = run();
  EXPECT_TRUE(part.stopped);
  EXPECT_EQ(part.rows.size(), 1u);
  EXPECT_EQ(made_, 2);
  options_.stop = {};
  const RaceResult whole = run();
  EXPECT_FALSE(whole.stopped);
  ASSERT_EQ(whole.rows.size(), 3u);
  EXPECT_EQ(racing_.batches, 3);
  EXPECT_EQ(made_, 2);  // what was proposed is kept
  EXPECT_EQ(row_line(whole.rows[0]), row_line(part.rows[0]));
  EXPECT_EQ(lines(run().rows), lines(whole.rows));
  EXPECT_EQ(racing_.batches, 3);
}

TEST_F(RaceRunnerTest, AChangedEntrantRacesAnew) {
  run();
  EXPECT_EQ(made_, 2);
  run("2");
  EXPECT_EQ(made_, 3);
  EXPECT_EQ(racing_.batches, 3);  // it proposes the same schedules: they have been raced
  options_.race.reference = "constructive";
  run("2");
  EXPECT_EQ(racing_.batches, 6);
}

TEST_F(RaceRunnerTest, OtherConditionsRaceAnew) {
  run();
  options_.race.conditions = "another compiler";
  run();
  EXPECT_EQ(made_, 4);
  EXPECT_EQ(racing_.batches, 6);
}

TEST_F(RaceRunnerTest, AnInterruptLosesNoProposal) {
  run();
  std::vector<Entrant> all = entrants();
  all[0].fingerprint = "2";
  const auto interrupt = [](const std::vector<Contender>&) -> std::unique_ptr<space::Scheduler> {
    throw Error(ErrorCode::kInterrupted, "stopped");
  };
  all.insert(all.begin() + 1, Entrant{"new", "rival", 1, "1", interrupt});
  EXPECT_THROW(run_race(small_list(), {}, all, selecting_, racing_, options_), Error);
  EXPECT_EQ(made_, 3);
  all.erase(all.begin() + 1);
  run_race(small_list(), {}, all, selecting_, racing_, options_);
  EXPECT_EQ(made_, 3);  // the last one proposed before the interrupted run
}

TEST_F(RaceRunnerTest, FilesAreReadBack) {
  const RaceResult result = run();
  const std::string text = read_file(options_.folder / "rows.jsonl");
  EXPECT_EQ(text, lines(result.rows));
  EXPECT_EQ(lines(parse_rows(text, "rows")), text);
  const std::string picks = read_file(options_.folder / "picks.jsonl");
  std::string again;
  for (const Proposal& p : parse_proposals(picks, "picks")) again += proposal_line(p) + "\n";
  EXPECT_EQ(again, picks);
  EXPECT_THROW(parse_rows(text + "{}", "rows"), Error);
  EXPECT_THROW(parse_proposals("nonsense", "picks"), Error);
}

TEST_F(RaceRunnerTest, NamesAreUnique) {
  std::vector<Entrant> twice = entrants();
  twice[1].name = "constructive";
  EXPECT_THROW(run_race(small_list(), {}, twice, selecting_, racing_, options_), Error);
}

}  // namespace
}  // namespace tlm::eval::test
