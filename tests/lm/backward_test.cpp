#include "tlm/lm/training/backward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/lm/packed_batch.h"
#include "tests/lm/tiny_model.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"

namespace tlm::lm {
namespace {

TrainingBatch random_batch(uint64_t seed) { return packed_batch(seed, {{4, {7, 3, 1}}, {6, {}}, {1, {5, 2}}}); }

// The largest difference of a gradient, relative to the largest of its tensor.
double difference(const Weights& a, const Weights& b) {
  double worst = 0;
  for (const WeightInfo& info : a.table()) {
    double largest = 0, apart = 0;
    for (size_t i = info.offset; i < info.offset + info.count; ++i) {
      const double x = a.data()[i], y = b.data()[i];
      largest = std::max(largest, std::fabs(y));
      apart = std::isfinite(x) ? std::max(apart, std::fabs(x - y)) : INFINITY;
    }
    EXPECT_GT(largest, 0) << info.name;
    worst = std::max(worst, apart / largest);
  }
  return worst;
}

// Along a random direction in each tensor: (loss(w + h·u) - loss(w - h·u)) / 2h against gradient · u.
TEST(Backward, AgreesWithFiniteDifferencesInEveryTensor) {
  Weights weights = tiny_weights(11), gradients(weights.config());
  const TrainingBatch batch = random_batch(12);
  loss_and_gradients(weights, batch, &gradients, serial_executor());
  Rng rng(13);
  for (const WeightInfo& info : weights.table()) {
    std::vector<double> direction(info.count);
    double expected = 0, size = 0;
    for (size_t i = 0; i < info.count; ++i) {
      const double g = gradients.data()[info.offset + i];
      direction[i] = rng.normal() + 2 * (g > 0 ? 1 : -1);  // leaning along the gradient: no cancellation
      expected += direction[i] * g;
      size += std::fabs(g);
    }
    ASSERT_GT(size, 0) << info.name;
    const double h = 2e-3 / std::sqrt(static_cast<double>(info.count));
    const auto loss_at = [&](double step) {
      Weights moved = weights;
      for (size_t i = 0; i < info.count; ++i) moved.data()[info.offset + i] += static_cast<float>(step * direction[i]);
      return loss_and_gradients(moved, batch, nullptr, serial_executor());
    };
    EXPECT_NEAR((loss_at(h) - loss_at(-h)) / (2 * h), expected, 0.01 * std::fabs(expected) + 1e-3) << info.name;
  }
}

// The same sums in f32, in another order: rounding apart, not more.
TEST(Backward, PackedBranchesEqualSeparateSentences) {
  Weights weights = tiny_weights(21), packed(weights.config()), separate(weights.config());
  const TrainingBatch batch = random_batch(22);
  const double a = loss_and_gradients(weights, batch, &packed, serial_executor());
  const double b = loss_and_gradients(weights, separate_sentences(batch), &separate, serial_executor());
  EXPECT_NEAR(a, b, 2e-6 * b);
  const double worst = difference(packed, separate);
  std::printf("loss apart by %.1e; largest difference of a gradient: %.1e of the tensor's largest\n", std::fabs(a - b), worst);
  EXPECT_LT(worst, 1e-5);
}

// Segments longer than a block of rows and than a tile of queries; chunks of a batch; a last chunk without targets.
TEST(Backward, ManyBlocksAndChunks) {
  Weights weights(Config{.layers = 3, .heads = 3, .width = 51, .inner = 70, .context = 190, .vocabulary = 150});
  Rng rng(31);
  for (float& v : weights.data()) v = static_cast<float>(0.2 * rng.normal());
  std::vector<PackedPrompt> prompts;
  for (int i = 0; i < 7; ++i) prompts.push_back({60 + 13 * i, {50, 49, 48, 47, 1, 20, 30, 40}});
  prompts.push_back({70, {}});
  TrainingBatch batch = packed_batch(32, prompts, 150);
  ASSERT_GT(batch.tokens.size(), 2048u);
  for (size_t i = batch.tokens.size() - 70; i < batch.tokens.size(); ++i) batch.targets[i] = TrainingBatch::kNoTarget;
  Weights packed(weights.config()), separate(weights.config()), threads(weights.config());
  const double a = loss_and_gradients(weights, batch, &packed, serial_executor());
  const double b = loss_and_gradients(weights, separate_sentences(batch), &separate, serial_executor());
  EXPECT_NEAR(a, b, 2e-6 * b);
  EXPECT_LT(difference(packed, separate), 2e-5);
  ThreadPool pool({.width = 3});
  GradientWorkspace workspace(weights.config());
  loss_and_gradients(weights, random_batch(33), nullptr, pool, workspace);  // memory that another batch has used
  EXPECT_EQ(loss_and_gradients(weights, batch, &threads, pool, workspace), a);
  EXPECT_EQ(threads.data(), packed.data());
}

// A branch is alone with its prompt: what its neighbours say changes nothing in it.
TEST(Backward, BranchesDoNotSeeEachOther) {
  Weights weights = tiny_weights(23);
  TrainingBatch batch = packed_batch(24, {{3, {4, 5}}});
  for (int64_t i = 0; i < 7; ++i) batch.targets[static_cast<size_t>(i)] = TrainingBatch::kNoTarget;  // the second branch's stay
  const double before = loss_and_gradients(weights, batch, nullptr, serial_executor());
  TrainingBatch neighbour = batch, own = batch;
  for (int64_t i = 3; i < 7; ++i) neighbour.tokens[static_cast<size_t>(i)] = (batch.tokens[static_cast<size_t>(i)] + 5) % 19;
  EXPECT_EQ(loss_and_gradients(weights, neighbour, nullptr, serial_executor()), before);
  own.tokens[7] = (own.tokens[7] + 5) % 19;
  EXPECT_NE(loss_and_gradients(weights, own, nullptr, serial_executor()), before);
  own = batch;
  own.tokens[0] = (own.tokens[0] + 5) % 19;
  EXPECT_NE(loss_and_gradients(weights, own, nullptr, serial_executor()), before);
}

TEST(Backward, LegalSetOfTheWholeVocabularyIsTheWholeVocabulary) {
  Weights weights = tiny_weights(25), with_set(weights.config()), without(weights.config());
  TrainingBatch batch = random_batch(26);
  batch.legal_sets.emplace_back();
  for (int32_t t = 0; t < 19; ++t) batch.legal_sets.back().push_back(t);
  batch.legal.assign(batch.legal.size(), 3);
  const double a = loss_and_gradients(weights, batch, &with_set, serial_executor());
  batch.legal.assign(batch.legal.size(), TrainingBatch::kAllLegal);
  EXPECT_EQ(a, loss_and_gradients(weights, batch, &without, serial_executor()));
  EXPECT_EQ(with_set.data(), without.data());
}

// -log of the target's share among the legal tokens: between nothing for a lone legal token and the full loss.
TEST(Backward, FewerLegalTokensLessLoss) {
  Weights weights = tiny_weights(27);
  TrainingBatch batch = packed_batch(28, {{5, {}}});
  batch.targets = {-1, -1, 3, -1, -1};
  batch.legal_sets = {{3}, {3, 7}};
  const auto loss = [&](int32_t set) {
    batch.legal.assign(5, set);
    return loss_and_gradients(weights, batch, nullptr, serial_executor());
  };
  EXPECT_EQ(loss(0), 0);
  EXPECT_GT(loss(1), 0);
  EXPECT_LT(loss(1), loss(TrainingBatch::kAllLegal));
  // exp(-loss) are shares: with {3, 7} that of 3, with the target 7 that of 7.
  const double three = std::exp(-loss(1));
  batch.targets[2] = 7;
  EXPECT_NEAR(three + std::exp(-loss(1)), 1, 1e-6);
}

TEST(Backward, SameBitsOnAnyExecutorAndGradientsAdd) {
  Weights weights = tiny_weights(14), once(weights.config()), threads(weights.config());
  const TrainingBatch batch = random_batch(15);
  ThreadPool pool({.width = 3});
  const double a = loss_and_gradients(weights, batch, &once, serial_executor());
  EXPECT_EQ(a, loss_and_gradients(weights, batch, &threads, pool));
  EXPECT_EQ(once.data(), threads.data());
  loss_and_gradients(weights, batch, &threads, pool);
  for (size_t i = 0; i < once.data().size(); ++i)
    ASSERT_NEAR(threads.data()[i], 2 * once.data()[i], 1e-4 + 1e-4 * std::fabs(once.data()[i]));
}

TEST(Backward, WhatDoesNotFitIsRefused) {
  Weights weights = tiny_weights(16);
  const auto refusal = [&](auto change) -> std::string {
    TrainingBatch batch = random_batch(17);
    change(batch);
    try {
      loss_and_gradients(weights, batch, nullptr, serial_executor());
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage);
      return e.message();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.tokens[3] = 19; }), "token 19 in a vocabulary of 19");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.targets[3] = -2; }), "target -2 in a vocabulary of 19");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.targets.pop_back(); }), "tokens, targets and legal must be of one length");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.legal[3] = 3; }), "legal set 3 of 3");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.legal_sets[0] = {4, 4}; }), "a legal set does not ascend");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.legal_sets[0] = {4, 19}; }), "legal token 19 in a vocabulary of 19");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.legal_sets = {{0}}, b.legal.assign(b.legal.size(), 0), b.targets[1] = 7; }),
            "target 7 is not legal");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.targets.assign(b.targets.size(), TrainingBatch::kNoTarget); }), "no targets");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.segments.pop_back(); }), "segments cover 27 of 29 tokens");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.segments[1].begin = 3; }), "segment [3, 11) after 4 of 29 tokens");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.segments[2].prefix_end = 3; }),
            "segment [11, 14): its prefix [0, 3) is no earlier segment without a prefix");
  EXPECT_EQ(refusal([](TrainingBatch& b) { b.segments[2].prefix_begin = 4, b.segments[2].prefix_end = 11; }),
            "segment [11, 14): its prefix [4, 11) is no earlier segment without a prefix");
  EXPECT_EQ(refusal([](TrainingBatch& b) {
              b.segments = {{0, 29}};
            }),
            "segment [0, 29): 29 tokens with its prefix in a context of 11");
}

}  // namespace
}  // namespace tlm::lm
