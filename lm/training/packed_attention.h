// Attention of a prompt and its branches, one head at a time, as products of small matrices: the queries of a branch meet all
// keys of the prompt in one product.
#pragma once

#include <cstdint>

#include "tlm/kernels/cpu/aligned_floats.h"
#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/lm/config.h"
#include "tlm/lm/training/batch_plan.h"

namespace tlm::lm {

// The rows of a chunk around attention. C width; a head's columns lie side by side in each of query, key and value.
struct AttentionRows {
  const float* qkv;  // [rows, 3C]
  float* mixed;      // [rows, C]: the result
  float* softmax;    // [heads, rows, 2]: the largest score and 1 / (sum of exponentials) of each query, kept for backward
  int64_t rows;
};

// Memory of one worker.
class AttentionScratch {
 public:
  explicit AttentionScratch(const Config& config);

 private:
  friend class HeadPass;
  kernels::AlignedFloats memory_;
};

void attend_group(const Config& config, const SegmentGroup& group, int64_t head, const AttentionRows& rows,
                  AttentionScratch& scratch);

// dqkv[rows, 3C] from dmixed[rows, C], in the head's columns and the group's rows.
void attend_group_backward(const Config& config, const SegmentGroup& group, int64_t head, const AttentionRows& rows,
                           const float* dmixed, float* dqkv, AttentionScratch& scratch);

}  // namespace tlm::lm
