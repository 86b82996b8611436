// Random training batches for the tiny model.
#pragma once

#include <vector>

#include "tlm/core/rng.h"
#include "tlm/lm/training/backward.h"

namespace tlm::lm {

// A prompt and the lengths of the branches that share it.
struct PackedPrompt {
  int64_t length;
  std::vector<int64_t> branches;
};

// Tokens below `vocabulary`; four tokens of five have targets, a third of them any legal set but the whole vocabulary.
inline TrainingBatch packed_batch(uint64_t seed, const std::vector<PackedPrompt>& prompts, int64_t vocabulary = 19) {
  Rng rng(seed);
  TrainingBatch batch;
  for (int i = 0; i < 3; ++i) {
    batch.legal_sets.emplace_back();
    for (int32_t t = 0; t < vocabulary; ++t)
      if (rng.below(3) == 0 || t == i) batch.legal_sets.back().push_back(t);
  }
  const auto add = [&](int64_t length, int64_t prefix_begin, int64_t prefix_end) {
    const int64_t begin = static_cast<int64_t>(batch.tokens.size());
    batch.segments.push_back({begin, begin + length, prefix_begin, prefix_end});
    for (int64_t i = begin; i < begin + length; ++i) {
      batch.tokens.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(vocabulary))));
      const bool all = rng.below(3) == 0;
      const auto set = rng.below(batch.legal_sets.size());
      batch.legal.push_back(all ? TrainingBatch::kAllLegal : static_cast<int32_t>(set));
      const auto& legal = batch.legal_sets[set];
      batch.targets.push_back(i % 5 == 0 ? TrainingBatch::kNoTarget
                                         : (all ? static_cast<int32_t>(rng.below(static_cast<uint64_t>(vocabulary)))
                                                : legal[rng.below(legal.size())]));
    }
    return begin;
  };
  for (const PackedPrompt& prompt : prompts) {
    const int64_t begin = add(prompt.length, 0, 0);
    for (const int64_t branch : prompt.branches) add(branch, begin, begin + prompt.length);
  }
  return batch;
}

// The same sentences and targets, each branch with a copy of its prompt; a prompt's own targets stay with its first copy alone.
inline TrainingBatch separate_sentences(const TrainingBatch& packed) {
  TrainingBatch out;
  out.legal_sets = packed.legal_sets;
  const auto append = [&](int64_t begin, int64_t end, bool targets) {
    for (int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<size_t>(i);
      out.tokens.push_back(packed.tokens[at]);
      out.targets.push_back(targets ? packed.targets[at] : TrainingBatch::kNoTarget);
      out.legal.push_back(packed.legal[at]);
    }
  };
  for (const Segment& s : packed.segments) {
    const int64_t begin = static_cast<int64_t>(out.tokens.size());
    append(s.prefix_begin, s.prefix_end, false);
    append(s.begin, s.end, true);
    out.segments.push_back({begin, static_cast<int64_t>(out.tokens.size())});
  }
  return out;
}

}  // namespace tlm::lm
