// Logits of token sequences.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/lm/kv_cache.h"
#include "tlm/lm/packed_model.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

// The next tokens of one sequence.
struct Chunk {
  std::span<const int32_t> tokens;  // at least one
  KvCache* cache = nullptr;         // grows by them; each cache once in a call
};

enum class LogitsOf { kLastToken, kEveryToken };

class Model {
 public:
  // `kernels`: of another instruction set, for comparisons.
  explicit Model(Weights weights, const kernels::BlockKernels& kernels = kernels::block_kernels());
  const Config& config() const { return weights_.config(); }

  // Reads all chunks at once and returns [chunks, V], or [tokens of all chunks, V], in their order. A sequence's logits depend,
  // bit for bit, neither on the other chunks, nor on how it was cut into chunks, nor on the executor. Chunks whose sequences
  // share a beginning are fastest side by side. Throws Error(kUsage): a token outside the vocabulary, or more tokens than the
  // context holds; the caches are then unchanged.
  std::vector<float> forward(std::span<const Chunk> chunks, LogitsOf which, Executor& executor) const;

 private:
  friend class ForwardPass;
  const kernels::BlockKernels* kernels_;
  mutable Weights weights_;  // read only
  PackedModel packed_;
};

// The token with the largest logit; within `tie` of it, the lowest id.
int32_t greedy_token(std::span<const float> logits, float tie = 1e-3f);

}  // namespace tlm::lm
