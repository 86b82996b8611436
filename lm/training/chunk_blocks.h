// How the rows of a chunk are cut into blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tlm/core/executor.h"
#include "tlm/lm/parallel.h"

namespace tlm::lm {

constexpr int64_t kBlockRows = 48;  // whole register tiles of every instruction set

inline size_t floats(int64_t a, int64_t b = 1) { return static_cast<size_t>(a) * static_cast<size_t>(b); }
inline int64_t blocks(int64_t rows) { return (rows + kBlockRows - 1) / kBlockRows; }

template <typename Body>
void for_blocks(Executor& executor, int64_t rows, const Body& body) {  // body(first, count, worker)
  parallel_for(executor, blocks(rows),
               [&](int64_t i, int worker) { body(i * kBlockRows, std::min(kBlockRows, rows - i * kBlockRows), worker); });
}

}  // namespace tlm::lm
