// Logits of token sequences.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

// The keys and values of one sequence so far. It holds as many as there are tokens.
class KvCache {
 public:
  explicit KvCache(const Config& config);
  // A branch: goes on where `prefix` ends and shares it, so that a prompt is read and kept once. A copy of a branch shares it
  // too. `prefix` is no branch itself.
  explicit KvCache(std::shared_ptr<const KvCache> prefix);
  int64_t length() const { return (prefix_ ? prefix_->length_ : 0) + length_; }  // tokens, with the prefix's

 private:
  friend class Model;
  std::shared_ptr<const KvCache> prefix_;
  int64_t length_ = 0;                             // tokens after the prefix
  std::vector<std::vector<float>> keys_, values_;  // by layer: [length, C]
};

// The next tokens of one sequence.
struct Chunk {
  std::span<const int32_t> tokens;  // at least one
  KvCache* cache = nullptr;         // grows by them; each cache once in a call
};

enum class LogitsOf { kLastToken, kEveryToken };

class Model {
 public:
  explicit Model(Weights weights);
  const Config& config() const { return weights_.config(); }

  // Reads all chunks at once and returns [chunks, V], or [tokens of all chunks, V], in their order. A sequence's logits depend,
  // bit for bit, neither on the other chunks, nor on how it was cut into chunks, nor on the executor. Throws Error(kUsage): a
  // token outside the vocabulary, or more tokens than the context holds; the caches are then unchanged.
  std::vector<float> forward(std::span<const Chunk> chunks, LogitsOf which, Executor& executor) const;

 private:
  mutable Weights weights_;  // read only
  std::vector<float> head_;  // [C, V]: wte transposed
};

// The token with the largest logit; within `tie` of it, the lowest id.
int32_t greedy_token(std::span<const float> logits, float tie = 1e-3f);

}  // namespace tlm::lm
