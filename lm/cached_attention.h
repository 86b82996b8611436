// Attention of rows of any sequences over their cached keys and values.
#pragma once

#include <cstdint>
#include <span>

#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/lm/kv_cache.h"

namespace tlm::lm {

// A query and what it looks at.
struct AttentionRow {
  int64_t position;                        // sees positions up to this one
  const std::shared_ptr<KvBlock>* blocks;  // those of its sequence
};

// Floats of scratch for `rows` rows that see at most `positions` positions.
size_t attention_scratch(const Config& config, int64_t rows, int64_t positions);

// mixed[rows, C] (rows ld_mixed apart) = softmax(query · keys / sqrt(head width)) · values, head by head, of queries [rows, C]
// (ld_query apart). Rows of sequences that share blocks should lie side by side: they meet a block in one product. A row's result
// depends, bit for bit, on its sequence alone.
void attend_cached(const kernels::BlockKernels& kernels, const Config& config, int64_t layer, std::span<const AttentionRow> rows,
                   const float* query, int64_t ld_query, float* mixed, int64_t ld_mixed, float* scratch);

}  // namespace tlm::lm
