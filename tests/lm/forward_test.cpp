#include "tlm/lm/forward.h"

#include <gtest/gtest.h>

#include "tests/lm/tiny_model.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"

namespace tlm::lm {
namespace {

using Tokens = std::vector<int32_t>;

// Lengths that cross tiles and tasks of the kernels.
std::vector<Tokens> prompts() {
  Rng rng(3);
  std::vector<Tokens> out;
  for (int64_t i = 0; i < 12; ++i) {
    Tokens tokens(static_cast<size_t>(1 + i % 9));
    for (int32_t& t : tokens) t = static_cast<int32_t>(rng.below(19));
    out.push_back(tokens);
  }
  return out;
}

TEST(Forward, BatchMatesThreadsAndChunksDoNotChangeABit) {
  const Model model(tiny_weights(1));
  ThreadPool two({.width = 2});
  const auto all = prompts();
  for (Executor* executor : {&serial_executor(), static_cast<Executor*>(&two)}) {
    std::vector<KvCache> caches(all.size(), KvCache(model.config()));
    std::vector<Chunk> chunks;
    for (size_t i = 0; i < all.size(); ++i) chunks.push_back({all[i], &caches[i]});
    const std::vector<float> batch = model.forward(chunks, LogitsOf::kEveryToken, *executor);
    auto next = batch.begin();
    for (const Tokens& prompt : all) {
      KvCache whole(model.config()), stepwise(model.config());
      const Chunk chunk{prompt, &whole};
      const auto alone = model.forward({&chunk, 1}, LogitsOf::kEveryToken, serial_executor());
      ASSERT_TRUE(std::equal(alone.begin(), alone.end(), next));
      for (size_t t = 0; t < prompt.size(); ++t, next += 19) {
        const Chunk one{{&prompt[t], 1}, &stepwise};
        const auto step = model.forward({&one, 1}, LogitsOf::kLastToken, serial_executor());
        ASSERT_TRUE(std::equal(step.begin(), step.end(), next)) << "token " << t;
      }
    }
    EXPECT_TRUE(next == batch.end());
  }
}

TEST(Forward, LastTokensOfABatchAndBranches) {
  const Model model(tiny_weights(2));
  const Tokens a = {1, 2, 3}, b = {4, 5}, more = {6, 7};
  KvCache ca(model.config()), cb(model.config());
  const Chunk chunks[] = {{a, &ca}, {b, &cb}};
  const auto last = model.forward(chunks, LogitsOf::kLastToken, serial_executor());
  ASSERT_EQ(last.size(), 2u * 19);
  KvCache again(model.config());
  const Chunk every{a, &again};
  const auto all = model.forward({&every, 1}, LogitsOf::kEveryToken, serial_executor());
  EXPECT_TRUE(std::equal(last.begin(), last.begin() + 19, all.end() - 19));

  KvCache branch = ca;  // the branch and its origin go on alike, and apart
  const Chunk on_branch{more, &branch}, on_origin{more, &ca};
  const auto from_branch = model.forward({&on_branch, 1}, LogitsOf::kLastToken, serial_executor());
  EXPECT_EQ(ca.length(), 3);
  EXPECT_EQ(branch.length(), 5);
  EXPECT_EQ(from_branch, model.forward({&on_origin, 1}, LogitsOf::kLastToken, serial_executor()));
}

TEST(Forward, BranchesShareTheirPrefix) {
  const Model model(tiny_weights(4));
  const Tokens prompt = {1, 2, 3, 4}, a = {5, 6, 7}, b = {8}, more = {9, 10};
  KvCache prefix(model.config());
  const Chunk read{prompt, &prefix};
  model.forward({&read, 1}, LogitsOf::kLastToken, serial_executor());
  KvCache ca = prefix, cb = prefix;
  const Chunk chunks[] = {{a, &ca}, {b, &cb}};
  const auto first = model.forward(chunks, LogitsOf::kLastToken, serial_executor());
  KvCache copy = ca;  // branches off once more
  const Chunk next[] = {{more, &ca}, {b, &copy}};
  const auto second = model.forward(next, LogitsOf::kLastToken, serial_executor());
  EXPECT_EQ(prefix.length(), 4);
  EXPECT_EQ(ca.length(), 9);
  EXPECT_EQ(copy.length(), 8);
  const auto whole = [&](std::initializer_list<Tokens> parts) {  // logits after all of them, read at once
    Tokens all = prompt;
    for (const Tokens& p : parts) all.insert(all.end(), p.begin(), p.end());
    KvCache cache(model.config());
    const Chunk chunk{all, &cache};
    return model.forward({&chunk, 1}, LogitsOf::kLastToken, serial_executor());
  };
  const auto rows = [](const std::vector<float>& logits, int row) {
    return std::vector<float>(logits.begin() + row * 19, logits.begin() + (row + 1) * 19);
  };
  EXPECT_EQ(rows(first, 0), whole({a}));
  EXPECT_EQ(rows(first, 1), whole({b}));
  EXPECT_EQ(rows(second, 0), whole({a, more}));
  EXPECT_EQ(rows(second, 1), whole({a, b}));
  const Tokens too_long(8, 0);  // 4 + 8 tokens in a context of 11
  KvCache branch = prefix;
  const Chunk chunk{too_long, &branch};
  EXPECT_THROW(model.forward({&chunk, 1}, LogitsOf::kLastToken, serial_executor()), Error);
  EXPECT_EQ(branch.length(), 4);
}

// Sequences of several KV blocks, more rows than a block of rows, branches off inside a block and at its end, with logits of all
// tokens: the bits of each sequence read alone, token by token.
TEST(Forward, LongBranchesHaveTheBitsOfLoneSequences) {
  Weights weights(Config{.layers = 3, .heads = 3, .width = 51, .inner = 70, .context = 120, .vocabulary = 40});
  Rng rng(5);
  for (float& v : weights.data()) v = static_cast<float>(0.3 * rng.normal());
  const Model model(std::move(weights));
  const auto sentence = [&](int64_t length) {
    Tokens tokens(static_cast<size_t>(length));
    for (int32_t& t : tokens) t = static_cast<int32_t>(rng.below(40));
    return tokens;
  };
  ThreadPool pool({.width = 3});
  std::vector<Tokens> all;
  std::vector<KvCache> caches;
  for (const int64_t length : {31, 32, 70}) {  // prompts
    Tokens prompt = sentence(length);
    KvCache cache(model.config());
    const Chunk chunk{prompt, &cache};
    model.forward({&chunk, 1}, LogitsOf::kLastToken, pool);
    for (int branch = 0; branch < 5; ++branch) all.push_back(prompt), caches.push_back(cache);
  }
  std::vector<float> last;
  for (const int64_t length : {1, 1, 20, 1, 16}) {  // steps of all branches
    std::vector<Tokens> next;
    for (size_t i = 0; i < all.size(); ++i) next.push_back(sentence(length));
    std::vector<Chunk> chunks;
    for (size_t i = 0; i < all.size(); ++i) {
      chunks.push_back({next[i], &caches[i]});
      all[i].insert(all[i].end(), next[i].begin(), next[i].end());
    }
    last = model.forward(chunks, LogitsOf::kLastToken, pool);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    KvCache cache(model.config());
    std::vector<float> alone;
    for (const int32_t& token : all[i]) {
      const Chunk one{{&token, 1}, &cache};
      alone = model.forward({&one, 1}, LogitsOf::kLastToken, serial_executor());
    }
    ASSERT_TRUE(std::equal(alone.begin(), alone.end(), last.begin() + static_cast<int64_t>(i) * 40)) << "branch " << i;
  }
}

TEST(Forward, WhatDoesNotFitIsRefused) {
  const Model model(tiny_weights(3));
  KvCache cache(model.config());
  const Tokens long_one(12, 0), foreign = {0, 19}, negative = {-1};
  for (const Tokens& tokens : {long_one, foreign, negative}) {
    const Chunk chunk{tokens, &cache};
    EXPECT_THROW(model.forward({&chunk, 1}, LogitsOf::kLastToken, serial_executor()), Error);
    EXPECT_EQ(cache.length(), 0);
  }
}

TEST(Forward, NearTiesGoToTheLowerToken) {
  const std::vector<float> logits = {0, 1.0f, 1.0005f, 0.5f};
  EXPECT_EQ(greedy_token(logits), 1);
  EXPECT_EQ(greedy_token(logits, 1e-4f), 2);
  EXPECT_EQ(greedy_token(logits, 0), 2);
}

}  // namespace
}  // namespace tlm::lm
