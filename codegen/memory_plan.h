// Where buffers with limited lifetimes lie in one arena.
#pragma once

#include <cstdint>
#include <vector>

namespace tlm::codegen {

struct ArenaBlock {
  uint64_t bytes = 0;
  int first = 0, last = 0;  // steps during which it holds data, both included
};

struct ArenaPlan {
  std::vector<uint64_t> offsets;  // by block, multiples of 64
  uint64_t bytes = 0;
};

// Largest first, each at the lowest offset that is free during its whole life. Deterministic.
ArenaPlan plan_arena(const std::vector<ArenaBlock>& blocks);

}  // namespace tlm::codegen
