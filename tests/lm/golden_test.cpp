// A tiny GPT-2 whose answers were computed in f64 by automatic differentiation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/shared_data.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/checkpoint.h"
#include "tlm/lm/forward.h"
#include "tlm/lm/safetensors.h"
#include "tlm/lm/training/backward.h"

namespace tlm::lm {
namespace {

class Golden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::shared_data().empty() || !std::filesystem::exists(test::shared_data() / "gpt2-golden"))
      GTEST_SKIP() << "no gpt2-golden: set TLM_SHARED_DATA";
    folder_ = test::shared_data() / "gpt2-golden";
  }
  SafetensorsFile expected() const { return SafetensorsFile(folder_ / "expected.safetensors"); }
  std::filesystem::path folder_;
};

std::vector<int32_t> tokens_of(const SafetensorsFile& file, const std::string& name) {
  const auto numbers = file.numbers(name);
  return {numbers.begin(), numbers.end()};
}

TEST_F(Golden, Logits) {
  const Model model(load_checkpoint(folder_));
  const auto ids = tokens_of(expected(), "input_ids");
  const auto logits = expected().numbers("logits");
  std::vector<KvCache> caches(2, KvCache(model.config()));
  const Chunk chunks[] = {{std::span(ids).first(40), &caches[0]}, {std::span(ids).subspan(40), &caches[1]}};
  const auto got = model.forward(chunks, LogitsOf::kEveryToken, shared_thread_pool());
  ASSERT_EQ(got.size(), logits.size());
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i)
    worst = std::isfinite(got[i]) ? std::max(worst, std::fabs(got[i] - logits[i])) : INFINITY;
  std::printf("largest difference of a logit: %.1e\n", worst);
  EXPECT_LT(worst, 1e-4);
}

TEST_F(Golden, GreedyContinuationOneTokenAtATimeInABatch) {
  const Model model(load_checkpoint(folder_));
  const auto ids = tokens_of(expected(), "input_ids"), greedy = tokens_of(expected(), "greedy");
  ASSERT_EQ(greedy.size(), 24u);
  std::vector<KvCache> caches(2, KvCache(model.config()));
  // Beside a batch mate of another length, which goes on as it likes.
  std::vector<int32_t> next(2), written;
  const Chunk start[] = {{std::span(ids).first(12), &caches[0]}, {std::span(ids).subspan(40, 5), &caches[1]}};
  auto logits = model.forward(start, LogitsOf::kLastToken, shared_thread_pool());
  while (true) {
    const size_t V = static_cast<size_t>(model.config().vocabulary);
    for (size_t i = 0; i < 2; ++i) next[i] = greedy_token(std::span(logits).subspan(i * V, V));
    written.push_back(next[0]);
    if (written.size() == greedy.size()) break;
    const Chunk step[] = {{{&next[0], 1}, &caches[0]}, {{&next[1], 1}, &caches[1]}};
    logits = model.forward(step, LogitsOf::kLastToken, shared_thread_pool());
  }
  EXPECT_EQ(written, greedy);
}

TEST_F(Golden, LossAndGradients) {
  Weights weights = load_checkpoint(folder_), gradients(weights.config());
  const SafetensorsFile file = expected();
  TrainingBatch batch{.segments = {{0, 40}, {40, 80}}, .tokens = tokens_of(file, "input_ids")};
  batch.legal.assign(80, TrainingBatch::kAllLegal);
  for (size_t i = 0; i < 80; ++i)  // the mean is over the targets at positions 10 to 39
    batch.targets.push_back(i % 40 >= 9 && i % 40 < 39 ? batch.tokens[i + 1] : TrainingBatch::kNoTarget);
  const double loss = loss_and_gradients(weights, batch, &gradients, shared_thread_pool());
  EXPECT_NEAR(loss, file.numbers("loss").at(0), 1e-5);
  double worst = 0;
  for (const WeightInfo& info : gradients.table()) {
    const auto want = file.numbers("grad." + info.name);
    ASSERT_EQ(want.size(), info.count);
    double largest = 0, difference = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      const double got = gradients.data()[info.offset + i];
      largest = std::max(largest, std::fabs(want[i]));
      difference = std::isfinite(got) ? std::max(difference, std::fabs(got - want[i])) : INFINITY;
    }
    EXPECT_LE(difference, 1e-3 * largest) << info.name;
    worst = std::max(worst, difference / largest);
  }
  std::printf("largest difference of a gradient: %.1e of the tensor's largest\n", worst);
}

}  // namespace
}  // namespace tlm::lm
