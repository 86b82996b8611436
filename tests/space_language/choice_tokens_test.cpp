// How decisions are spelled: numbers relative to what matters; facts, then what a choice comes to, then the choice.
#include "tlm/space/language/choice_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/network_workloads.h"
#include "tlm/core/rng.h"
#include "tlm/space/rules/algorithm.h"
#include "tlm/space/space.h"

namespace tlm::space {
namespace {

std::string spelled(const Decision& d, const Choice& c, const std::vector<int64_t>& consequences = {}) {
  std::vector<Token> tokens = decision_head(d);
  const std::vector<Token> choice = choice_tokens(d, c, consequences);
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
  EXPECT_EQ(spelled(decision(DecisionKind::kAttach, -1, {5, 3}), {1}), "@attach 5 3 inline");
  EXPECT_EQ(spelled(decision(DecisionKind::kAlgorithm, -1, {9, 4}), {1, 4}), "@algorithm 9 4 winograd 4");
}

TEST(ChoiceTokens, ConsequencesComeBeforeSizes) {
  const Decision micro = decision(DecisionKind::kMicro, -1, {});
  EXPECT_EQ(spelled(micro, {0, 8, 2, 1, 7, -1, -1}, {14, 6, 0}), "@micro a0 8 14 6 0 2 a1 7 none");
  EXPECT_EQ(spelled(micro, {-1, 1, 1, -1, 1, -1, 1}, {1, 0, 0}), "@micro none 1 0 0 none none");
  EXPECT_EQ(spelled(decision(DecisionKind::kAlgorithm, -1, {9, 4}), {1, 4}, {6, 1, 7}), "@algorithm 9 4 6 1 7 winograd 4");
  EXPECT_EQ(spelled(decision(DecisionKind::kTile, 2, {6, 19}), {24}, {7}), "@tile a2 b5 x3 7 4");
  EXPECT_EQ(spelled(decision(DecisionKind::kUnroll, -1, {}), {3, 4, -1, 1}, {9, 5}), "@unroll 9 5 a3 4 none");
  EXPECT_EQ(spelled(decision(DecisionKind::kInner, -1, {1, 7, 2, 3}), {2, 1}, {0, 2}), "@inner a1 7 a2 3 0 2 a2 a1");
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
        } else if (d.kind == DecisionKind::kAttach || d.kind == DecisionKind::kAlgorithm) {
          ASSERT_EQ(d.facts.size(), 2u);
          for (const int64_t fact : d.facts) EXPECT_TRUE(fact >= 0 && fact <= 15) << d.name;
        } else {
          EXPECT_TRUE(d.facts.empty()) << d.name;
        }
        walk.choose(static_cast<int>(rng.below(d.candidates.size())));
      }
    }
  }
  EXPECT_EQ(seen,
            (std::set<DecisionKind>{DecisionKind::kAlgorithm, DecisionKind::kAttach, DecisionKind::kTile, DecisionKind::kTail,
                                    DecisionKind::kOrder, DecisionKind::kInner, DecisionKind::kParallel, DecisionKind::kMicro}));
}

// A product of 64 rows, 96 columns and 256 steps: what its candidates come to can be worked out by hand.
TEST(ChoiceTokens, ConsequencesAreTrue) {
  Target target = named_target("x86-64-v3");
  target.cores = 1;
  const auto space = Space::build(ir::parse_subgraph(R"(subgraph "product" {
  input x: f32[64,256]
  constant w: f32[256,96]
  output y: f32[64,96]
  stage "product" {
    spatial i:64, j:96
    reduce k:256
    body x[i, k]*w[k, j]
    combine sum
    store y[i, j] = acc0
  }
})"),
                                  target);
  const auto of = [](Walk& walk, const Choice& choice) {
    const auto& all = walk.decision().candidates;
    const auto at = std::find(all.begin(), all.end(), choice);
    EXPECT_NE(at, all.end()) << walk.decision().name;
    const int candidate = static_cast<int>(at - all.begin());
    const std::vector<int64_t> out = walk.consequences(candidate);
    walk.choose(candidate);
    return out;
  };
  Walk walk = space->walk();
  while (walk.decision().kind != DecisionKind::kMicro) walk.choose(0);
  // 2 vectors of 8 columns by 6 rows: 64 rows in tiles of 6 are 66: 2 of 66 are idle, none of 16 sixteenths. Over 256 steps 2 vectors
  // read 256·16·4 bytes, 16 KB, each register of them for 6 updates: log2(6 / 0.5) · 4 = 14.3; 12 accumulators; 2 + 6 operands, 1.5
  // updates for each: log2(1.5 / 0.5) · 4 = 6.3; 6 rows read 256·6·4 bytes, 6 KB.
  EXPECT_EQ(of(walk, {1, 8, 2, 0, 6, -1, 1}), (std::vector<int64_t>{0, 14, 12, 6, 5, 3}));
  ASSERT_EQ(walk.decision().kind, DecisionKind::kUnroll);
  // 4 steps: 48 updates, log2(48) · 2 = 11.2; of 6·16·4 = 384 points and 6·4 + 16·4 = 88 elements: log2(384 / 88 / 0.5) · 4
  // = 12.5.
  EXPECT_EQ(of(walk, {2, 4, -1, 1}), (std::vector<int64_t>{11, 12}));
  ASSERT_EQ(walk.decision().kind, DecisionKind::kTail);
  EXPECT_TRUE(walk.consequences(0).empty());
}

// A window over 512 channels of 7×7 points, whose weights serve few points: the fewer the operations, the fewer.
TEST(ChoiceTokens, ConsequencesOfAlgorithmsAreTrue) {
  Target target = named_target("x86-64-v3");
  target.cores = 1;
  const auto space = Space::build(ir::parse_subgraph(R"(subgraph "window" {
  input x: f32[9,9,512]
  constant w: f32[3,3,512,512]
  output y: f32[7,7,512]
  stage "window" {
    spatial h:7, w:7, co:512
    reduce kh:3, kw:3, ci:512
    body x[h + kh, w + kw, ci]*w[kh, kw, ci, co]
    combine sum
    store y[h, w, co] = acc0
  }
})"),
                                  target);
  const Walk walk = space->walk();
  ASSERT_EQ(walk.decision().kind, DecisionKind::kAlgorithm);
  std::map<std::string, std::vector<int64_t>> of;
  for (size_t i = 0; i < walk.decision().candidates.size(); ++i)
    of[algorithm_text(walk.decision().candidates[i])] = walk.consequences(static_cast<int>(i));
  // Each weight is used for 49 points, log2(49 / 0.5) · 2 = 13.2.
  EXPECT_EQ(of["direct"], (std::vector<int64_t>{13, 8, 0}));
  // 4×4 patches, each weight for 16: log2(16 / 0.5) · 2 = 10; 16·16 products where 9·49 were, and transforms: a little above 0.58,
  // log2(0.59 / 0.25) · 4 = 4.9; 2·16·16·512 floats in between, 1 MB.
  EXPECT_EQ(of["winograd:2"], (std::vector<int64_t>{10, 4, 11}));
  // 2×2 patches: log2(4 / 0.5) · 2 = 6; 36·4 / (9·49) = 0.33, log2(0.33 / 0.25) · 4 = 1.6; 2·36·4·512 floats, 576 KB.
  EXPECT_EQ(of["winograd:4"], (std::vector<int64_t>{6, 1, 10}));
}

}  // namespace
}  // namespace tlm::space
