// The loss of token sequences and its gradient by every weight.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

// B sequences of T tokens. Shorter ones are filled up with any token and no targets: causal attention never looks ahead.
struct TrainingBatch {
  static constexpr int32_t kNoTarget = -1;
  int64_t sequences = 0, length = 0;  // B, T
  std::vector<int32_t> tokens;        // [B, T]
  std::vector<int32_t> targets;       // [B, T]: the token that should come next, or kNoTarget
};

// Mean cross-entropy in nats over the targets. Adds its gradient to `gradients` (same configuration) unless null; the tied output
// head adds into wte. The same bits on any executor. Throws Error(kUsage): a batch that does not fit the model, or one without
// targets.
double loss_and_gradients(Weights& weights, const TrainingBatch& batch, Weights* gradients, Executor& executor);

}  // namespace tlm::lm
