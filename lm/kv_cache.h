// The keys and values of a sequence, kept in blocks that sequences with a common beginning share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/lm/config.h"

namespace tlm::lm {

// kPositions tokens in a row, the first at a multiple of kPositions. C width.
struct KvBlock {
  static constexpr int64_t kPositions = 16;
  explicit KvBlock(const Config& config);

  float* keys(int64_t layer) { return memory_.get() + 2 * layer * floats_; }  // [C, kPositions]: one product for all positions
  float* values(int64_t layer) { return keys(layer) + floats_; }              // [heads, kPositions, head width]
  void copy(const KvBlock& from, int64_t layers);

 private:
  int64_t floats_;
  std::unique_ptr<float[]> memory_;
};

// The keys and values of one sequence so far. It holds as many blocks as its tokens need. A copy is a branch that goes on by
// itself; both share the blocks that are there, and who writes next into a block that is shared makes it its own first.
// Not to be used by two threads at once, nor a copy made while its origin grows.
class KvCache {
 public:
  explicit KvCache(const Config& config) : config_(config) {}
  int64_t length() const { return length_; }  // tokens

 private:
  friend class ForwardPass;
  // Room of this sequence's own for `tokens` more.
  void grow(int64_t tokens);

  Config config_;
  int64_t length_ = 0;
  std::vector<std::shared_ptr<KvBlock>> blocks_;
};

}  // namespace tlm::lm
