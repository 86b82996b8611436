#include "tlm/codegen/memory_plan.h"

#include <gtest/gtest.h>

#include "tlm/core/rng.h"

namespace tlm::codegen {
namespace {

bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

void expect_valid(const std::vector<ArenaBlock>& blocks, const ArenaPlan& plan) {
  ASSERT_EQ(plan.offsets.size(), blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % 64, 0u);
    EXPECT_LE(plan.offsets[i] + blocks[i].bytes, plan.bytes);
    for (size_t j = 0; j < i; ++j) {
      const bool together = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
      if (together && blocks[i].bytes && blocks[j].bytes) {
        EXPECT_FALSE(overlap(plan.offsets[i], blocks[i].bytes, plan.offsets[j], blocks[j].bytes)) << i << " and " << j;
      }
    }
  }
}

TEST(MemoryPlan, NothingNeedsNothing) { EXPECT_EQ(plan_arena({}).bytes, 0u); }

TEST(MemoryPlan, ChainReusesTwoBuffers) {
  std::vector<ArenaBlock> chain;
  for (int i = 0; i < 10; ++i) chain.push_back({1000, i, i + 1});
  const ArenaPlan plan = plan_arena(chain);
  expect_valid(chain, plan);
  EXPECT_EQ(plan.bytes, 2 * 1024u);
}

TEST(MemoryPlan, SmallBlockFillsAGap) {
  // A large block that dies leaves room for two small ones beside the long-lived one.
  const std::vector<ArenaBlock> blocks = {{4096, 0, 1}, {1024, 1, 5}, {2048, 2, 3}, {2048, 2, 3}};
  const ArenaPlan plan = plan_arena(blocks);
  expect_valid(blocks, plan);
  EXPECT_EQ(plan.bytes, 4096u + 1024u);
}

TEST(MemoryPlan, RandomLivesNeverOverlap) {
  Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaBlock> blocks;
    const int n = static_cast<int>(rng.between(1, 40));
    uint64_t sum = 0;
    for (int i = 0; i < n; ++i) {
      const int first = static_cast<int>(rng.below(30));
      blocks.push_back({rng.below(5000), first, first + static_cast<int>(rng.below(8))});
      sum += (blocks.back().bytes + 63) / 64 * 64;
    }
    const ArenaPlan plan = plan_arena(blocks);
    expect_valid(blocks, plan);
    EXPECT_LE(plan.bytes, sum);
  }
}

}  // namespace
}  // namespace tlm::codegen
