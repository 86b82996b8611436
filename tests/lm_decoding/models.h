// Random models of the tensor language, and spaces to write about.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/support/network_workloads.h"
#include "tlm/core/rng.h"
#include "tlm/lm/decoding/decoder.h"
#include "tlm/lm/language_model.h"
#include "tlm/space/space.h"

namespace tlm::lm::test {

// Untrained, but with opinions: weights large enough that probabilities are far from equal.
inline LanguageModel random_model(uint64_t seed, LanguageInfo info = standard_language(), int64_t context = 512,
                                  int64_t width = 32, int64_t layers = 2,
                                  const kernels::BlockKernels& kernels = kernels::block_kernels()) {
  Weights weights({.layers = layers,
                   .heads = 4,
                   .width = width,
                   .inner = 4 * width,
                   .context = context,
                   .vocabulary = static_cast<int64_t>(info.words.size())});
  weights.initialize(seed);
  Rng rng(seed);
  for (float& v : weights.data()) v += static_cast<float>(0.1 * rng.normal());
  return LanguageModel(std::move(weights), std::move(info), "random", kernels);
}

// Of the networks at hand, `count` of them, spread over all.
inline std::vector<std::shared_ptr<const space::Space>> some_spaces(size_t count, int cores = 2) {
  const std::vector<ir::Subgraph>& all = tlm::test::network_workloads();
  Target target = named_target("x86-64-v3");
  target.cores = cores;
  std::vector<std::shared_ptr<const space::Space>> spaces;
  for (size_t i = 0; i < count; ++i) spaces.push_back(space::Space::build(all[i * all.size() / count], target));
  return spaces;
}

// Each space of `spaces`, which must outlive it, gets the prompt of the one that is half the list away.
inline DecodeOptions swapped_prompts(const std::vector<std::shared_ptr<const space::Space>>& spaces, PromptForm form) {
  DecodeOptions options;
  options.prompt = [&spaces, form](const space::Space& space) {
    const auto at = std::find_if(spaces.begin(), spaces.end(), [&](const auto& s) { return s.get() == &space; });
    return write_prompt(*spaces[(static_cast<size_t>(at - spaces.begin()) + spaces.size() / 2) % spaces.size()], form);
  };
  return options;
}

}  // namespace tlm::lm::test
