// How decisions are spelled: numbers relative to what matters, facts before the choice.
#include "tlm/space/language/choice_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/network_workloads.h"
#include "tlm/core/rng.h"
#include "tlm/space/space.h"

namespace tlm::space {
namespace {

std::string spelled(const Decision& d, const Choice& c) {
  std::vector<Token> tokens = decision_head(d);
  const std::vector<Token> choice = choice_tokens(d, c);
  tokens.insert(tokens.end(), choice.begin(), choice.end());
  return to_text(tokens);
}

Decision decision(DecisionKind kind, int item, std::vector<int64_t> facts) {
  Decision d;
  d.kind = kind;
  d.item = item;
  d.facts = std::move(facts);
  return d;
}

TEST(ChoiceTokens, GrainsAreChunksForEachCore) {
  const Decision d = decision(DecisionKind::kParallel, -1, {2, 9, 4, 267});  // two cores; loops of 4 and 267
  EXPECT_EQ(spelled(d, {0, 1}), "@parallel 9 0");
  EXPECT_EQ(spelled(d, {1, 1}), "@parallel 9 1 2");
  EXPECT_EQ(spelled(d, {1, 2}), "@parallel 9 1 1");
  EXPECT_EQ(spelled(d, {2, 534}), "@parallel 9 2 1");
  EXPECT_EQ(spelled(d, {2, 134}), "@parallel 9 2 4");
  EXPECT_EQ(spelled(d, {2, 1}), "@parallel 9 2 b10 x0 xb z");  // 534 for each
}

TEST(ChoiceTokens, CacheTilesAreMultiplesOfTheRegisterTile) {
  const Decision d = decision(DecisionKind::kTile, 2, {6, 19});
  EXPECT_EQ(spelled(d, {0}), "@tile a2 b5 x3 0");
  EXPECT_EQ(spelled(d, {6}), "@tile a2 b5 x3 1");
  EXPECT_EQ(spelled(d, {24}), "@tile a2 b5 x3 4");
}

TEST(ChoiceTokens, FactsComeBeforeTheChoice) {
  EXPECT_EQ(spelled(decision(DecisionKind::kTail, 1, {3}), {1}), "@tail a1 3 balanced");
  EXPECT_EQ(spelled(decision(DecisionKind::kInner, -1, {1, 7, 2, 20}), {2, 1}), "@inner a1 7 a2 b5 x4 a2 a1");
  EXPECT_EQ(spelled(decision(DecisionKind::kMicro, -1, {0, 64, 1, 14}), {0, 8, 2, 1, 7, -1, -1}),
            "@micro a0 b7 z a1 14 a0 8 2 a1 7 none");
  EXPECT_EQ(spelled(decision(DecisionKind::kOrder, -1, {0, 2, 3, 4}), {0, 3}), "@order a0 2 a3 4 a0 a3");
}

// What the rules say of real stages.
TEST(ChoiceTokens, FactsAreTrue) {
  Target target = named_target("x86-64-v3");
  target.cores = 2;
  Rng rng(7);
  std::set<DecisionKind> seen;
  for (const auto& w : test::network_workloads()) {
    const auto space = Space::build(w, target);
    for (int i = 0; i < 8; ++i) {
      Walk walk = space->walk();
      while (!walk.done()) {
        const Decision& d = walk.decision();
        const auto extent = [&](int64_t axis) {
          return walk.subgraph().stages.at(static_cast<size_t>(d.stage)).axes.at(static_cast<size_t>(axis)).extent;
        };
        if (!d.facts.empty()) seen.insert(d.kind);
        if (d.kind == DecisionKind::kTile) {
          ASSERT_EQ(d.facts.size(), 2u);
          EXPECT_LT(d.facts[0] * (d.facts[1] - 1), extent(d.item));
          EXPECT_GE(d.facts[0] * d.facts[1], extent(d.item));
          for (const Choice& c : d.candidates) EXPECT_EQ(c[0] % d.facts[0], 0);
        } else if (d.kind == DecisionKind::kTail) {
          ASSERT_EQ(d.facts.size(), 1u);
          EXPECT_GT(d.facts[0], 0);
          EXPECT_LT(d.facts[0], extent(d.item));
        } else if (d.kind == DecisionKind::kOrder || d.kind == DecisionKind::kInner) {
          Choice axes = d.candidates[0];
          std::sort(axes.begin(), axes.end());
          ASSERT_EQ(d.facts.size(), 2 * axes.size());
          for (size_t a = 0; a < axes.size(); ++a) {
            EXPECT_EQ(d.facts[2 * a], axes[a]);
            EXPECT_GT(d.facts[2 * a + 1], 1);
            EXPECT_LE(d.facts[2 * a + 1], extent(axes[a]));
          }
        } else if (d.kind == DecisionKind::kParallel) {
          EXPECT_EQ(d.facts.at(0), 2);
          EXPECT_GE(d.facts.at(1), 0);
          EXPECT_LE(d.facts.at(1), 15);
          for (const Choice& c : d.candidates) {
            ASSERT_LT(c[0] + 1, static_cast<int64_t>(d.facts.size()));
            int64_t merged = 1;
            for (int64_t loop = 1; loop <= c[0]; ++loop) merged *= d.facts[static_cast<size_t>(loop) + 1];
            EXPECT_LE(c[1], merged);
          }
        } else if (d.kind == DecisionKind::kMicro) {
          const bool replaced = walk.subgraph().stages.size() != w.stages.size();
          EXPECT_EQ(d.facts.empty(), !replaced) << d.name;
          for (size_t a = 0; a < d.facts.size(); a += 2) {
            EXPECT_GT(d.facts[a + 1], 1);
            EXPECT_EQ(d.facts[a + 1], extent(d.facts[a]));
          }
        } else {
          EXPECT_TRUE(d.facts.empty()) << d.name;
        }
        walk.choose(static_cast<int>(rng.below(d.candidates.size())));
      }
    }
  }
  EXPECT_EQ(seen, (std::set<DecisionKind>{DecisionKind::kTile, DecisionKind::kTail, DecisionKind::kOrder, DecisionKind::kInner,
                                          DecisionKind::kParallel, DecisionKind::kMicro}));
}

}  // namespace
}  // namespace tlm::space
