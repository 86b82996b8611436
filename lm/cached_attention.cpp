#include "tlm/lm/cached_attention.h"

#include <algorithm>
#include <cmath>

namespace tlm::lm {
namespace {

constexpr int64_t kPositions = KvBlock::kPositions;

int64_t blocks_of(int64_t position) { return position / kPositions + 1; }

// Calls body(block, first, count, positions) for the neighbours among the rows that see one block: `positions` of it at most.
template <typename Body>
void for_runs(std::span<const AttentionRow> rows, int64_t index, const Body& body) {
  for (size_t r = 0; r < rows.size();) {
    if (rows[r].position < index * kPositions) {
      ++r;
      continue;
    }
    KvBlock* const block = rows[r].blocks[index].get();
    const size_t first = r;
    int64_t last_position = 0;
    for (; r < rows.size() && rows[r].position >= index * kPositions && rows[r].blocks[index].get() == block; ++r)
      last_position = std::max(last_position, rows[r].position);
    body(*block, static_cast<int64_t>(first), static_cast<int64_t>(r - first),
         std::min(kPositions, last_position + 1 - index * kPositions));
  }
}

// Asks for what is read next: caches of many sequences are larger than the nearest memory.
void prefetch(const float* p, int64_t floats) {
  constexpr int64_t kLine = 16;
  for (int64_t i = 0; i < floats; i += kLine) __builtin_prefetch(p + i, 0, 2);
}

}  // namespace

size_t attention_scratch(const Config& config, int64_t rows, int64_t positions) {
  return static_cast<size_t>(rows * config.heads * blocks_of(positions) * kPositions);
}

void attend_cached(const kernels::BlockKernels& k, const Config& config, int64_t layer, std::span<const AttentionRow> rows,
                   const float* query, int64_t ld_query, float* mixed, int64_t ld_mixed, float* scratch) {
  const int64_t H = config.heads, D = config.head_width();
  const float scale = 1 / std::sqrt(static_cast<float>(D));
  int64_t blocks = 0;
  for (const AttentionRow& row : rows) blocks = std::max(blocks, blocks_of(row.position));
  const int64_t positions = blocks * kPositions, ld_scores = H * positions;  // scores [rows, H, positions]

  // Heads inside: their products do not wait for each other.
  for (int64_t b = 0; b < blocks; ++b)
    for_runs(rows, b, [&](KvBlock& block, int64_t first, int64_t count, int64_t) {
      if (b + 1 < blocks_of(rows[static_cast<size_t>(first)].position))
        prefetch(rows[static_cast<size_t>(first)].blocks[b + 1]->keys(layer), config.width * kPositions);
      for (int64_t h = 0; h < H; ++h)
        k.multiply(scratch + first * ld_scores + h * positions + b * kPositions, ld_scores, nullptr, 0,
                   query + first * ld_query + h * D, ld_query, block.keys(layer) + h * D * kPositions, kPositions, count, D,
                   kPositions);
    });
  for (size_t r = 0; r < rows.size(); ++r) {
    float* row = mixed + static_cast<int64_t>(r) * ld_mixed;
    const int64_t end = blocks_of(rows[r].position) * kPositions;
    for (int64_t h = 0; h < H; ++h) {
      float* scores = scratch + static_cast<int64_t>(r) * ld_scores + h * positions;
      std::fill(scores + rows[r].position + 1, scores + end, -INFINITY);
      float largest, rsum;
      k.softmax(scores, &largest, &rsum, scale, end);
      k.scale(scores, rsum, end);
    }
    std::fill_n(row, H * D, 0.0f);
  }
  for (int64_t b = 0; b < blocks; ++b)
    for_runs(rows, b, [&](KvBlock& block, int64_t first, int64_t count, int64_t seen) {
      if (b + 1 < blocks_of(rows[static_cast<size_t>(first)].position))
        prefetch(rows[static_cast<size_t>(first)].blocks[b + 1]->values(layer), config.width * kPositions);
      for (int64_t h = 0; h < H; ++h) {
        float* out = mixed + first * ld_mixed + h * D;
        k.multiply(out, ld_mixed, out, ld_mixed, scratch + first * ld_scores + h * positions + b * kPositions, ld_scores,
                   block.values(layer) + h * D * kPositions, D, count, seen, D);
      }
    });
}

}  // namespace tlm::lm
