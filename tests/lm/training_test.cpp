#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tests/lm/packed_batch.h"
#include "tests/lm/tiny_model.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/training/adamw.h"
#include "tlm/lm/training/backward.h"

namespace tlm::lm {
namespace {

TrainingBatch random_batch(uint64_t seed) { return packed_batch(seed, {{4, {7, 3, 1}}, {6, {}}, {1, {5, 2}}}); }

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

TEST(AdamW, SameBitsOnAnyExecutor) {
  const Config config{.layers = 2, .heads = 2, .width = 120, .inner = 300, .context = 20, .vocabulary = 301};  // many blocks
  Weights weights(config), gradients(config);
  weights.initialize(20);
  gradients.initialize(21);
  Weights threads = weights, threads_gradients = gradients;
  ThreadPool pool({.width = 3});
  AdamW one(config), other(config);
  for (int step = 0; step < 3; ++step) {
    double squares = 0;
    for (const float g : gradients.data()) squares += static_cast<double>(g) * g;
    const double norm = clip_norm(gradients, 0.1 / (1 + step));
    EXPECT_NEAR(norm, std::sqrt(squares), 1e-5 * norm);
    EXPECT_EQ(norm, clip_norm(threads_gradients, 0.1 / (1 + step), pool));
    one.step(weights, gradients, 0.01f);
    other.step(threads, threads_gradients, 0.01f, pool);
  }
  EXPECT_EQ(weights.data(), threads.data());
  EXPECT_EQ(gradients.data(), threads_gradients.data());
}

TEST(AdamW, LearnsAndResumesWithTheSameBits) {
  TrainingBatch batch = random_batch(18);
  batch.legal.assign(batch.legal.size(), TrainingBatch::kAllLegal);
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
