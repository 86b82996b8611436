// A tiny GPT-2 whose answers were computed in f64 by automatic differentiation.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shared_data.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/checkpoint.h"
#include "tlm/lm/forward.h"
#include "tlm/lm/safetensors.h"

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
  RecordProperty("largest_difference", std::to_string(worst));
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

}  // namespace
}  // namespace tlm::lm
