// The mask: round trips, and random walks over the workloads of networks.
#include "tlm/space/language/grammar.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/network_workloads.h"
#include "tlm/core/rng.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/space/language/sentence.h"
#include "tlm/space/scheduler.h"

namespace tlm::space {
namespace {

int walks() {
  const char* n = std::getenv("TLM_GRAMMAR_WALKS");
  return n ? std::atoi(n) : 3000;
}

// Follows random allowed tokens to the end; returns what was said.
std::vector<Token> babble(Grammar& grammar, Rng& rng) {
  std::vector<Token> said;
  while (!grammar.done()) {
    const std::vector<Token> allowed = grammar.allowed();
    EXPECT_FALSE(allowed.empty());
    EXPECT_EQ(grammar.forced(), allowed.size() == 1);
    const Token t = allowed[rng.below(allowed.size())];
    grammar.advance(t);
    said.push_back(t);
  }
  return said;
}

TEST(Grammar, RandomWalksOverNetworksAreLegal) {
  const auto workloads = test::network_workloads();
  ASSERT_FALSE(workloads.empty());
  Rng rng(11);
  const char* targets[] = {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"};
  std::vector<std::shared_ptr<const Space>> spaces;
  for (const auto& w : workloads)
    for (const char* t : targets) {
      Target target = named_target(t);
      target.cores = 2;
      spaces.push_back(Space::build(w, target));
    }
  const int n = walks();
  for (int i = 0; i < n; ++i) {
    const auto& space = spaces[static_cast<size_t>(i) % spaces.size()];
    Grammar grammar(space->walk());
    const std::vector<Token> said = babble(grammar, rng);
    const Walk& walk = grammar.walk();
    ASSERT_TRUE(walk.done());
    ASSERT_EQ(decision_tokens(walk), said);
    // The schedule that was said is legal, and says the same again.
    const Result<Walk> replayed = space->replay(walk.schedule());
    ASSERT_TRUE(replayed.ok()) << replayed.reason();
    ASSERT_EQ(replayed->chosen(), walk.chosen());
    if (i % 50 == 0) {
      const Result<Walk> read = read_decisions(space, said);
      ASSERT_TRUE(read.ok()) << read.reason();
      ASSERT_EQ(read->schedule(), walk.schedule());
    }
  }
}

TEST(Grammar, SentencesRoundTripAsText) {
  for (const auto& w : test::network_workloads()) {
    const auto space = Space::build(w, named_target("x86-64-v3"));
    const Walk walk = space->constructive();
    const std::vector<Token> tokens = from_text(sentence_text(walk));
    std::vector<Token> expected = prompt_tokens(*space);
    const std::vector<Token> decisions = decision_tokens(walk);
    expected.insert(expected.end(), decisions.begin(), decisions.end());
    EXPECT_EQ(tokens, expected);
    EXPECT_EQ(read_decisions(space, decisions)->schedule(), walk.schedule());
  }
}

TEST(Grammar, SaysWhatIsWrongWithASentence) {
  const auto workloads = test::network_workloads();
  const auto space = Space::build(workloads.front(), named_target("x86-64-v3"));
  const Walk walk = space->constructive();
  std::vector<Token> tokens = decision_tokens(walk);
  std::vector<Token> bad = tokens;
  bad[0] = Vocabulary::standard().token("<pad>");
  EXPECT_NE(read_decisions(space, bad).reason().find("word 1 is '<pad>', allowed: @"), std::string::npos);
  bad = tokens;
  bad.pop_back();
  EXPECT_NE(read_decisions(space, bad).reason().find("ends early"), std::string::npos);
  bad = tokens;
  bad.push_back(tokens.back());
  EXPECT_NE(read_decisions(space, bad).reason().find("after <end>"), std::string::npos);
}

TEST(Grammar, CopiesAreIndependent) {
  const auto workloads = test::network_workloads();
  Grammar a(Space::build(workloads.front(), named_target("x86-64-v3"))->walk());
  Rng rng(5);
  while (!a.done()) {
    const auto allowed = a.allowed();
    const std::vector<int> chosen = a.walk().chosen();
    Grammar b = a;
    Rng other(rng.next());
    babble(b, other);
    EXPECT_EQ(a.allowed(), allowed);
    EXPECT_EQ(a.walk().chosen(), chosen);
    a.advance(allowed[rng.below(allowed.size())]);
  }
}

}  // namespace
}  // namespace tlm::space
