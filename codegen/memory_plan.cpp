#include "tlm/codegen/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace tlm::codegen {
namespace {
constexpr uint64_t kAlign = 64;
uint64_t align_up(uint64_t n) { return (n + kAlign - 1) / kAlign * kAlign; }
}  // namespace

ArenaPlan plan_arena(const std::vector<ArenaBlock>& blocks) {
  std::vector<size_t> by_size(blocks.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(), [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });

  ArenaPlan plan;
  plan.offsets.assign(blocks.size(), 0);
  std::vector<size_t> placed;  // sorted by offset
  for (const size_t b : by_size) {
    uint64_t offset = 0;
    for (const size_t p : placed) {
      const bool alive_together = blocks[p].first <= blocks[b].last && blocks[b].first <= blocks[p].last;
      if (!alive_together) continue;
      if (plan.offsets[p] >= offset + align_up(blocks[b].bytes)) break;  // fits in the gap before p
      offset = std::max(offset, plan.offsets[p] + align_up(blocks[p].bytes));
    }
    plan.offsets[b] = offset;
    plan.bytes = std::max(plan.bytes, offset + align_up(blocks[b].bytes));
    const auto at = std::upper_bound(placed.begin(), placed.end(), offset, [&](uint64_t o, size_t p) { return o < plan.offsets[p]; });
    placed.insert(at, b);
  }
  return plan;
}

}  // namespace tlm::codegen
