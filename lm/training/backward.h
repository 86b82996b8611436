// The loss of token sequences and its gradient by every weight.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

// Tokens [begin, end) of a batch. They attend to the prefix, and causally to themselves; positions go on after the prefix. The
// prefix is a whole earlier segment that has itself none: a prompt that many branches share, written and computed once. An empty
// range is no prefix.
struct Segment {
  int64_t begin = 0, end = 0;
  int64_t prefix_begin = 0, prefix_end = 0;
};

// N tokens: the segments lie one after the other and cover them.
struct TrainingBatch {
  static constexpr int32_t kNoTarget = -1;
  static constexpr int32_t kAllLegal = -1;
  std::vector<Segment> segments;
  std::vector<int32_t> tokens;                   // [N]
  std::vector<int32_t> targets;                  // [N]: the token that should come next, or kNoTarget
  std::vector<int32_t> legal;                    // [N]: which of legal_sets may come next; kAllLegal: the whole vocabulary
  std::vector<std::vector<int32_t>> legal_sets;  // ascending token ids; a target is in its set
};

// The memory of loss_and_gradients, kept from step to step: activations of a part of a batch, weights laid out for products.
class GradientWorkspace {
 public:
  explicit GradientWorkspace(const Config& config);
  ~GradientWorkspace();

 private:
  friend double loss_and_gradients(Weights&, const TrainingBatch&, Weights*, Executor&, GradientWorkspace&);
  struct Memory;
  Config config_;
  std::unique_ptr<Memory> memory_;
};

// Mean cross-entropy in nats over the targets, each with the softmax over its legal tokens alone. Adds its gradient to
// `gradients` (same configuration) unless null; the tied output head adds into wte. The same bits on any executor. Throws
// Error(kUsage): a batch that does not fit the model, or one without targets.
double loss_and_gradients(Weights& weights, const TrainingBatch& batch, Weights* gradients, Executor& executor,
                          GradientWorkspace& workspace);
// With memory of its own: for a single call.
double loss_and_gradients(Weights& weights, const TrainingBatch& batch, Weights* gradients, Executor& executor);

}  // namespace tlm::lm
