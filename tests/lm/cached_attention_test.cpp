#include "tlm/lm/cached_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tlm/core/rng.h"
#include "tlm/kernels/cpu/reference_kernels.h"

namespace tlm::lm {
namespace {

// Two sequences that share their first block, queries at many positions, every instruction set.
TEST(CachedAttention, AgreesWithPlainLoops) {
  const Config config{.layers = 2, .heads = 3, .width = 51, .inner = 1, .context = 64, .vocabulary = 1};
  const int64_t C = config.width, D = config.head_width(), positions = 40;
  Rng rng(1);
  std::vector<float> keys[2], values[2];  // [positions, C] of each sequence
  std::vector<std::shared_ptr<KvBlock>> blocks[2];
  for (int s = 0; s < 2; ++s)
    for (int64_t p = 0; p < positions; ++p) {
      if (p % KvBlock::kPositions == 0) blocks[s].push_back(s == 1 && p == 0 ? blocks[0][0] : std::make_shared<KvBlock>(config));
      for (int64_t c = 0; c < C; ++c) {
        const bool shared = s == 1 && p < KvBlock::kPositions;
        keys[s].push_back(shared ? keys[0][keys[s].size()] : static_cast<float>(rng.normal()));
        values[s].push_back(shared ? values[0][values[s].size()] : static_cast<float>(rng.normal()));
        blocks[s].back()->keys(1)[c * KvBlock::kPositions + p % KvBlock::kPositions] = keys[s].back();
        blocks[s].back()->values(1)[(c / D * KvBlock::kPositions + p % KvBlock::kPositions) * D + c % D] = values[s].back();
      }
    }
  const std::vector<std::pair<int, int64_t>> queries = {{0, 0},  {0, 1},  {0, 15}, {0, 16}, {1, 3},
                                                        {1, 15}, {1, 31}, {1, 39}, {0, 39}};
  const auto rows = static_cast<int64_t>(queries.size());
  std::vector<AttentionRow> where;
  for (const auto& [s, p] : queries) where.push_back({p, blocks[s].data()});
  std::vector<float> query(static_cast<size_t>(rows * C)), mixed(query.size()), plain(query.size());
  for (float& v : query) v = static_cast<float>(rng.normal());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t h = 0; h < config.heads; ++h) {
      const auto [s, p] = queries[static_cast<size_t>(r)];
      kernels::reference::attend(&plain[static_cast<size_t>(r * C + h * D)], &query[static_cast<size_t>(r * C + h * D)],
                                 &keys[s][static_cast<size_t>(h * D)], &values[s][static_cast<size_t>(h * D)], p + 1, C, D);
    }
  std::vector<float> scratch(attention_scratch(config, rows, positions));
  for (int i = 0; i < kernels::runnable_block_kernels().count; ++i) {
    const kernels::BlockKernels& k = *kernels::runnable_block_kernels().of[i];
    attend_cached(k, config, 1, where, query.data(), C, mixed.data(), C, scratch.data());
    for (size_t j = 0; j < mixed.size(); ++j) ASSERT_NEAR(mixed[j], plain[j], 2e-6) << k.name << " " << j;
    std::vector<float> alone(static_cast<size_t>(C));
    for (int64_t r = 0; r < rows; ++r) {
      attend_cached(k, config, 1, std::span(where).subspan(static_cast<size_t>(r), 1), &query[static_cast<size_t>(r * C)], C,
                    alone.data(), C, scratch.data());
      ASSERT_TRUE(std::equal(alone.begin(), alone.end(), &mixed[static_cast<size_t>(r * C)])) << k.name << " " << r;
    }
  }
}

}  // namespace
}  // namespace tlm::lm
