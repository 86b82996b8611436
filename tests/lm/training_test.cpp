#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tests/lm/tiny_model.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/training/adamw.h"
#include "tlm/lm/training/backward.h"

namespace tlm::lm {
namespace {

TrainingBatch random_batch(uint64_t seed) {
  Rng rng(seed);
  TrainingBatch batch{.sequences = 3, .length = 7};
  for (int i = 0; i < 21; ++i) {
    batch.tokens.push_back(static_cast<int32_t>(rng.below(19)));
    batch.targets.push_back(i % 5 == 0 ? TrainingBatch::kNoTarget : static_cast<int32_t>(rng.below(19)));
  }
  return batch;
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
  const auto refused = [&](auto change) {
    TrainingBatch batch = random_batch(17);
    change(batch);
    EXPECT_THROW(loss_and_gradients(weights, batch, nullptr, serial_executor()), Error);
  };
  refused([](TrainingBatch& b) { b.tokens[3] = 19; });
  refused([](TrainingBatch& b) { b.targets[3] = -2; });
  refused([](TrainingBatch& b) { b.tokens.pop_back(); });
  refused([](TrainingBatch& b) { b.length = 12; });
  refused([](TrainingBatch& b) { b.targets.assign(b.targets.size(), TrainingBatch::kNoTarget); });
}

TEST(AdamW, TwoStepsByHand) {
  Weights weights(tiny_config()), gradients(tiny_config());
  float &matrix = weights.tokens()[0], &bias = weights.layer(0).fc_bias[0];
  matrix = bias = 1;
  AdamW adamw(tiny_config(), {.beta1 = 0.9f, .beta2 = 0.99f, .epsilon = 1e-8f, .weight_decay = 0.5f});
  gradients.tokens()[0] = gradients.layer(0).fc_bias[0] = 2;
  adamw.step(weights, gradients, 0.1f);
  // m̂ = 2, v̂ = 4: a step of 0.1 · (1 + 0.5 · 1), and without decay 0.1.
  EXPECT_NEAR(matrix, 0.85, 1e-6);
  EXPECT_NEAR(bias, 0.9, 1e-6);
  gradients.tokens()[0] = gradients.layer(0).fc_bias[0] = -1;
  adamw.step(weights, gradients, 0.1f);
  // m = 0.9 · 0.2 - 0.1 = 0.08, m̂ = 0.08 / 0.19; v = 0.99 · 0.04 + 0.01 = 0.0496, v̂ = 0.0496 / 0.0199.
  const double step = 0.08 / 0.19 / std::sqrt(0.0496 / 0.0199);
  EXPECT_NEAR(matrix, 0.85 - 0.1 * (step + 0.5 * 0.85), 1e-6);
  EXPECT_NEAR(bias, 0.9 - 0.1 * step, 1e-6);
  EXPECT_EQ(weights.tokens()[1], 0);
}

TEST(AdamW, LearnsAndResumesWithTheSameBits) {
  const TrainingBatch batch = random_batch(18);
  const auto path = std::filesystem::temp_directory_path() / ("tlm-adamw-" + std::to_string(::getpid()));
  Weights weights(tiny_config());
  weights.initialize(19);
  AdamW adamw(tiny_config());
  const auto step = [&](Weights& w, AdamW& optimiser) {
    Weights gradients(tiny_config());
    const double loss = loss_and_gradients(w, batch, &gradients, serial_executor());
    EXPECT_GT(clip_norm(gradients, 1), 0);
    optimiser.step(w, gradients, 0.01f);
    return loss;
  };
  const double before = step(weights, adamw);
  EXPECT_NEAR(before, std::log(19.0), 0.1);  // an untrained model knows nothing
  for (int i = 0; i < 60; ++i) step(weights, adamw);
  adamw.save(path);
  Weights resumed = weights;
  AdamW other(tiny_config());
  other.load(path);
  EXPECT_EQ(other.steps(), 61);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(step(weights, adamw), step(resumed, other));
  EXPECT_EQ(weights.data(), resumed.data());
  EXPECT_LT(step(weights, adamw), before / 4);
  Config wider = tiny_config();
  wider.inner += 1;
  AdamW foreign(wider);
  EXPECT_THROW(foreign.load(path), Error);
  std::filesystem::remove(path);
}

TEST(ClipNorm, ScalesOnlyWhatIsTooLong) {
  Weights gradients(tiny_config());
  gradients.tokens()[0] = 3, gradients.final_bias()[0] = 4;
  EXPECT_DOUBLE_EQ(clip_norm(gradients, 10), 5);
  EXPECT_EQ(gradients.tokens()[0], 3);
  EXPECT_DOUBLE_EQ(clip_norm(gradients, 1), 5);
  EXPECT_FLOAT_EQ(gradients.tokens()[0], 0.6f);
  EXPECT_FLOAT_EQ(gradients.final_bias()[0], 0.8f);
}

}  // namespace
}  // namespace tlm::lm
