// Writes sentences with a model and a strategy: reads prompts, keeps grammars and caches, masks, and runs the model on all
// unfinished sentences of all prompts at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/executor.h"
#include "tlm/core/progress.h"
#include "tlm/lm/decoding/sentence.h"
#include "tlm/lm/decoding/strategy.h"
#include "tlm/lm/language_model.h"
#include "tlm/space/measurer.h"
#include "tlm/space/space.h"

namespace tlm::lm {

struct DecodeOptions {
  uint64_t seed = 0;                          // of strategies that draw
  Executor* executor = nullptr;               // null: the calling thread
  std::shared_ptr<space::Measurer> measurer;  // of strategies that measure
  std::optional<int> quality;                 // bucket that is asked for; none: the best, of a model that knows qualities
  size_t cache_bytes = size_t{1} << 29;       // prompts are taken in groups whose caches need about this much
  CancelToken cancel;                         // Error(kInterrupted)
  // For experiments: what the model is told about a space, in place of its prompt (blinded, swapped). Empty: its prompt.
  std::function<std::vector<space::Token>(const space::Space& space)> prompt;
  Progress* progress = nullptr;  // advances by prompts
};

// What was written about one space.
struct Answer {
  std::vector<Sentence> sentences;  // best first; the same one may occur twice where a strategy draws independently
  std::string reason;               // why there are none: the sentence would exceed the model's context
};

struct DecodeStatistics {
  double model_ms = 0, total_ms = 0;              // in Model::forward; of all but measuring
  int64_t prompt_tokens = 0, written_tokens = 0;  // that the model read
  int64_t calls = 0;                              // of Model::forward
};

// One answer for each space. The same for a seed on any number of threads, alone and in any batch. Throws Error(kUsage) for a
// strategy that measures without a measurer, and for a quality that the model does not know.
std::vector<Answer> decode(const LanguageModel& model, const std::vector<std::shared_ptr<const space::Space>>& spaces,
                           const Strategy& strategy, const DecodeOptions& options, DecodeStatistics* statistics = nullptr);

}  // namespace tlm::lm
