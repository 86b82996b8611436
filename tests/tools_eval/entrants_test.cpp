#include "tlm/tools/eval/entrants.h"

#include <gtest/gtest.h>

#include "fake_measurer.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"
#include "tlm/space/records/record.h"
#include "tlm/space/search/top_k.h"

namespace tlm::eval::test {

void save_small_model(const std::filesystem::path& folder, uint64_t seed);  // small_model.cpp

namespace {

std::vector<std::string> names(const std::vector<Entrant>& all) {
  std::vector<std::string> out;
  for (const Entrant& e : all) out.push_back(e.name);
  return out;
}

class EntrantsTest : public testing::Test {
 protected:
  EntrantsTest() {
    save_small_model(folder_.path() / "m", 1);
    options_.models = {{.name = "m", .folder = folder_.path() / "m"}};
    options_.decode_k = {"gumbel"};
    options_.k = 4;
    log_ = Log([this](LogLevel, std::string_view message) { said_ += message; }, LogLevel::kWarning);
  }
  std::vector<Entrant> make() const { return make_entrants(options_, serial_executor(), log_); }

  codegen::TempFolder folder_;
  EntrantOptions options_;
  Log log_;
  mutable std::string said_;
};

TEST_F(EntrantsTest, ModelsFirstThenRivals) {
  EXPECT_EQ(names(make()), (std::vector<std::string>{"m", "m k=4", "constructive", "random", "untrained", "constructive k=4",
                                                     "random k=4", "untrained k=4"}));
  EXPECT_NE(said_.find("no records"), std::string::npos);
  options_.rivals = false;
  options_.decode = {"greedy", "beam:n=3"};
  options_.blind_target = true;
  EXPECT_EQ(names(make()), (std::vector<std::string>{"m greedy", "m beam:n=3", "m k=4", "m greedy target unknown"}));
  options_.blind_target = false;
  options_.decode_k = {"gumbel", "beam"};
  EXPECT_EQ(names(make()), (std::vector<std::string>{"m greedy", "m beam:n=3", "m gumbel k=4", "m beam k=4"}));
}

// Every sentence is legal, the untrained model writes others, and k are distinct.
TEST_F(EntrantsTest, ModelsPropose) {
  std::vector<SpaceMaker> spaces;
  const std::vector<EvalWorkload> list = small_list();
  for (const EvalWorkload& w : list) spaces.push_back([&w] { return space_of(w, machine()); });
  std::vector<Contender> all;
  for (const Entrant& e : make()) all.push_back(propose(e, spaces, all));
  for (const Contender& c : all) {
    ASSERT_EQ(c.picks.size(), list.size()) << c.name;
    EXPECT_GT(c.seconds[0], 0);
    for (size_t i = 0; i < list.size(); ++i)
      for (const space::Schedule& s : c.picks[i]) EXPECT_TRUE(spaces[i]()->replay(s).ok()) << c.name;
    EXPECT_GE(c.picks[0].size(), static_cast<size_t>(c.k)) << c.name;
  }
  EXPECT_NE(all[0].picks, all[4].picks);
}

TEST_F(EntrantsTest, FingerprintsTellModelsApart) {
  const std::string before = make()[0].fingerprint;
  EXPECT_EQ(make()[0].fingerprint, before);
  save_small_model(folder_.path() / "m", 2);
  EXPECT_NE(make()[0].fingerprint, before);
}

Reference reference_of(const EvalWorkload& w) {
  Reference r;
  r.name = w.name;
  r.workload = w.hash;
  r.target = space::target_hash(target_of(w, machine()));
  r.seconds = 60;
  const std::vector<space::Schedule> draws = space::random_draws(space_of(w, machine()), 4, 1);
  for (int i = 0; i < 3; ++i) r.top.push_back({draws[static_cast<size_t>(i)], 2});
  r.after = {{64, 5, {draws[3], 1.5}}, {1000, 60, {draws[0], 2}}};
  return r;
}

TEST(ReferenceContenders, PrefixesThenTheReference) {
  const std::vector<EvalWorkload> list = small_list();
  std::vector<Reference> references;
  for (const EvalWorkload& w : list) references.insert(references.begin(), reference_of(w));
  const std::vector<Contender> all = reference_contenders(references, list, machine(), "file");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "search-64");
  EXPECT_EQ(all[0].seconds[1], 5);
  EXPECT_EQ(all[1].name, "search-1000");
  EXPECT_EQ(all[1].k, 3);
  EXPECT_EQ(all[1].picks[2].size(), 3u);
  EXPECT_EQ(all[1].picks[2][0], reference_of(list[2]).top[0].schedule);
}

TEST(ReferenceContenders, AShortSearchHasNoPrefixes) {
  const std::vector<EvalWorkload> list = small_list();
  std::vector<Reference> references;
  for (const EvalWorkload& w : list) {
    references.push_back(reference_of(w));
    references.back().after.erase(references.back().after.begin() + 1);
  }
  const std::vector<Contender> all = reference_contenders(references, list, machine(), "file");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "search-64");
  EXPECT_EQ(all[0].picks.size(), list.size());
}

TEST(ReferenceContenders, RefusesWhatDoesNotFit) {
  const std::vector<EvalWorkload> list = {small_list()[0]};
  Reference r = reference_of(list[0]);
  r.target ^= 1;  // another machine
  EXPECT_THROW(reference_contenders({r}, list, machine(), "file"), Error);
  r = reference_of(list[0]);
  r.top[1].schedule.choices[0].second = "nonsense";  // another space
  EXPECT_THROW(reference_contenders({r}, list, machine(), "file"), Error);
}

}  // namespace
}  // namespace tlm::eval::test
