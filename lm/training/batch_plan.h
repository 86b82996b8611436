// The order in which a training batch is computed: prompts with the branches that share them stay together, a few of them at a
// time, so that the activations at hand are few.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/lm/training/backward.h"

namespace tlm::lm {

// Segments of a chunk, rows [begin, end).
struct SegmentRows {
  int64_t begin, end;
};

// A segment without a prefix and those that have it as theirs, which lie behind it.
struct SegmentGroup {
  SegmentRows root;
  std::vector<SegmentRows> branches;
};

// What one of the rows with a target is asked for.
struct TargetRow {
  int64_t row;     // of the chunk
  int32_t target;  // token
  int32_t legal;   // index of legal_sets or kAllLegal
};

struct BatchChunk {
  std::vector<SegmentGroup> groups;
  std::vector<int32_t> tokens, positions;  // [rows]
  std::vector<TargetRow> targets;          // ascending rows

  int64_t rows() const { return static_cast<int64_t>(tokens.size()); }
};

// Chunks of at least `rows` rows, except the last one. The batch is well formed (batch_check). Chunks without targets are left
// out: nothing depends on them.
std::vector<BatchChunk> plan_batch(const TrainingBatch& batch, int64_t rows);

}  // namespace tlm::lm
