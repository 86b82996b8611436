#include "tlm/lm/training/quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tlm/core/error.h"
#include "tlm/lm/training/learning_rate.h"
#include "tlm/lm/training/packing.h"

namespace tlm::lm {
namespace {

TEST(QualityScale, BucketsGrowFromTheTieSet) {
  const QualityScale scale{.buckets = 5, .tie = 0.06, .growth = 1.5};
  const double edges[] = {0.06, 0.15, 0.285, 0.4875};
  for (int b = 0; b < 4; ++b) {
    EXPECT_NEAR(scale.edge(b), edges[b], 1e-12);
    EXPECT_EQ(scale.bucket_of(edges[b] - 1e-6), b);
    EXPECT_EQ(scale.bucket_of(edges[b] + 1e-6), b + 1);
  }
  EXPECT_EQ(scale.bucket_of(0), 0);
  EXPECT_EQ(scale.bucket_of(100), 4);
}

PromptGroup group(std::vector<float> gaps, size_t slow = 0) {
  PromptGroup g;
  for (const float gap : gaps) g.programs.push_back({.gap = gap});
  for (size_t i = gaps.size() - slow; i < gaps.size(); ++i) g.programs[i].slow = true;
  return g;
}

TEST(Quality, SlowProgramsAreTheWorstAndFewProgramsHaveNoBest) {
  PackingOptions options{.enough = 4, .best = 2};
  const PromptGroup few = group({0, 0.5f, 0.1f}, 1), enough = group({0, 0.01f, 0.05f, 0.2f, 0.01f}, 1);
  EXPECT_EQ(quality_of(few, few.programs[0], options), 1);
  EXPECT_EQ(quality_of(few, few.programs[2], options), options.scale.buckets - 1);
  EXPECT_EQ(best_of(few, options), 0u);
  EXPECT_EQ(quality_of(enough, enough.programs[0], options), 0);
  EXPECT_EQ(quality_of(enough, enough.programs[3], options), 2);
  EXPECT_EQ(best_of(enough, options), 3u);  // all of the tie set
  options.best = 4;
  EXPECT_EQ(best_of(enough, options), 4u);  // at least so many, but none that is slow
  options.best = 5;
  EXPECT_EQ(best_of(enough, options), 4u);
}

TEST(Quality, Words) {
  EXPECT_EQ(space::Vocabulary::standard().word(quality_word(0)), "0");
  EXPECT_EQ(space::Vocabulary::standard().word(quality_word(15)), "15");
}

TEST(QualityMode, Names) {
  for (const char* name : {"token", "best", "both"}) EXPECT_EQ(quality_mode_name(parse_quality_mode(name)), name);
  EXPECT_THROW(parse_quality_mode("worst"), Error);
}

TEST(LearningRate, RisesInALineAndFallsAlongACosine) {
  const LearningRate rate{.peak = 1, .last = 0.1, .warm_up = 0.1};
  EXPECT_NEAR(rate.at(0, 100), 0.1, 1e-12);
  EXPECT_NEAR(rate.at(4, 100), 0.5, 1e-12);
  EXPECT_NEAR(rate.at(10, 100), 1, 1e-12);
  EXPECT_NEAR(rate.at(55, 100), 0.55, 1e-12);  // half way down
  for (int s = 10; s < 99; ++s) EXPECT_GT(rate.at(s, 100), rate.at(s + 1, 100));
  EXPECT_NEAR(rate.at(99, 100), 0.1, 1e-3);
  EXPECT_NEAR(rate.at(0, 1), 1, 1e-12);
}

}  // namespace
}  // namespace tlm::lm
