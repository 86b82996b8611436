// The language model on the processor: a step of training, and what answers the prompts of a network. Sizes are those of the
// models that write schedules; GFLOP/s count 2 · parameters for a token read and 6 · parameters for a token trained on, whatever
// attention costs beside.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "tlm/core/rng.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/forward.h"
#include "tlm/lm/training/adamw.h"
#include "tlm/lm/training/backward.h"

namespace {

using namespace tlm;  // NOLINT: a program

constexpr int64_t kVocabulary = 200;

lm::Weights model(int64_t layers, int64_t width, int64_t heads) {
  lm::Weights weights(lm::Config{
      .layers = layers, .heads = heads, .width = width, .inner = 4 * width, .context = 384, .vocabulary = kVocabulary});
  weights.initialize(1);
  return weights;
}

void count(benchmark::State& state, const lm::Weights& weights, int64_t tokens, double flop_of_parameter) {
  const double all = static_cast<double>(tokens);
  state.counters["tokens/s"] = benchmark::Counter(all, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["FLOP/s"] = benchmark::Counter(flop_of_parameter * static_cast<double>(weights.data().size()) * all,
                                                benchmark::Counter::kIsIterationInvariantRate);
}

// Prompts of 150 tokens, each with 24 branches of 70; every other token of a branch was decided, out of 8 legal ones.
lm::TrainingBatch training_batch(int64_t prompts) {
  Rng rng(2);
  lm::TrainingBatch batch;
  for (int i = 0; i < 20; ++i) {
    batch.legal_sets.emplace_back();
    for (int32_t t = 0; t < 8; ++t) batch.legal_sets.back().push_back(20 * t + i);
  }
  const auto add = [&](int64_t length, int64_t prefix_begin, int64_t prefix_end) {
    const int64_t begin = static_cast<int64_t>(batch.tokens.size());
    batch.segments.push_back({begin, begin + length, prefix_begin, prefix_end});
    for (int64_t i = 0; i < length; ++i) {
      batch.tokens.push_back(static_cast<int32_t>(rng.below(kVocabulary)));
      const auto set = rng.below(batch.legal_sets.size());
      batch.legal.push_back(static_cast<int32_t>(set));
      batch.targets.push_back(prefix_end > prefix_begin && i % 2 ? batch.legal_sets[set][rng.below(8)]
                                                                 : lm::TrainingBatch::kNoTarget);
    }
    return begin;
  };
  for (int64_t p = 0; p < prompts; ++p) {
    const int64_t begin = add(150, 0, 0);
    for (int i = 0; i < 24; ++i) add(70, begin, begin + 150);
  }
  return batch;
}

void LossAndGradients(benchmark::State& state, int64_t layers, int64_t width, int64_t heads) {
  lm::Weights weights = model(layers, width, heads), gradients(weights.config());
  const lm::TrainingBatch batch = training_batch(state.range(0));
  lm::GradientWorkspace workspace(weights.config());
  for (auto _ : state) {
    std::fill(gradients.data().begin(), gradients.data().end(), 0.0f);
    benchmark::DoNotOptimize(lm::loss_and_gradients(weights, batch, &gradients, shared_thread_pool(), workspace));
  }
  count(state, weights, static_cast<int64_t>(batch.tokens.size()), 6);
}
BENCHMARK_CAPTURE(LossAndGradients, 4x192, 4, 192, 6)->Arg(2)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(LossAndGradients, 3x128, 3, 128, 4)->Arg(2)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();

void AdamWStep(benchmark::State& state) {
  lm::Weights weights = model(4, 192, 6), gradients = weights;
  lm::AdamW adamw(weights.config());
  for (auto _ : state) {
    benchmark::DoNotOptimize(lm::clip_norm(gradients, 1, shared_thread_pool()));
    adamw.step(weights, gradients, 1e-4f, shared_thread_pool());
  }
}
BENCHMARK(AdamWStep)->Unit(benchmark::kMillisecond)->UseRealTime();

constexpr int64_t kPrompts = 25, kPromptTokens = 150, kSteps = 70;

std::vector<int32_t> random_tokens(int64_t count) {
  Rng rng(3);
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  for (int32_t& t : tokens) t = static_cast<int32_t>(rng.below(kVocabulary));
  return tokens;
}

std::vector<lm::KvCache> read_prompts(const lm::Model& model, const std::vector<int32_t>& tokens) {
  std::vector<lm::KvCache> caches(kPrompts, lm::KvCache(model.config()));
  std::vector<lm::Chunk> chunks;
  for (int64_t p = 0; p < kPrompts; ++p)
    chunks.push_back(
        {std::span(tokens).subspan(static_cast<size_t>(p * kPromptTokens), kPromptTokens), &caches[static_cast<size_t>(p)]});
  benchmark::DoNotOptimize(model.forward(chunks, lm::LogitsOf::kLastToken, shared_thread_pool()));
  return caches;
}

// The prompts of a network, all at once.
void Prefill(benchmark::State& state) {
  const lm::Model reader(model(4, 192, 6));
  const std::vector<int32_t> tokens = random_tokens(kPrompts * kPromptTokens);
  for (auto _ : state) benchmark::DoNotOptimize(read_prompts(reader, tokens));
  count(state, model(4, 192, 6), kPrompts * kPromptTokens, 2);
}
BENCHMARK(Prefill)->Unit(benchmark::kMillisecond)->UseRealTime();

// All steps of a number of branches of each prompt.
void Decode(benchmark::State& state) {
  const lm::Model reader(model(4, 192, 6));
  const std::vector<lm::KvCache> prompts = read_prompts(reader, random_tokens(kPrompts * kPromptTokens));
  const std::vector<int32_t> tokens = random_tokens(kPrompts * state.range(0));
  for (auto _ : state) {
    std::vector<lm::KvCache> caches;
    for (const lm::KvCache& prompt : prompts)
      for (int64_t b = 0; b < state.range(0); ++b) caches.push_back(prompt);
    std::vector<lm::Chunk> chunks;
    for (size_t i = 0; i < caches.size(); ++i) chunks.push_back({std::span(tokens).subspan(i, 1), &caches[i]});
    for (int64_t step = 0; step < kSteps; ++step)
      benchmark::DoNotOptimize(reader.forward(chunks, lm::LogitsOf::kLastToken, shared_thread_pool()));
  }
  count(state, model(4, 192, 6), kPrompts * state.range(0) * kSteps, 2);
}
BENCHMARK(Decode)->Arg(1)->Arg(4)->Arg(10)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
