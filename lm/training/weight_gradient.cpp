#include "tlm/lm/training/weight_gradient.h"

#include <algorithm>

namespace tlm::lm {
namespace {

constexpr int64_t kTileK = 192, kTileN = 192;  // of dw
constexpr int64_t kPanel = 64;                 // columns of dout that are copied together: the nearest cache holds a panel
constexpr int64_t kRows = 128;                 // of a panel

int64_t parts(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

}  // namespace

WeightGradientScratch::WeightGradientScratch() : memory_(kPanel * kRows) {}

int64_t WeightGradient::tiles() const { return parts(k, kTileK) * parts(n, kTileN); }

void WeightGradient::add_tile(int64_t index, WeightGradientScratch& scratch) const {
  const kernels::BlockKernels& kernels = kernels::block_kernels();
  const int64_t across = parts(n, kTileN), k0 = index / across * kTileK, n0 = index % across * kTileN;
  const int64_t tile_k = std::min(kTileK, k - k0), n1 = std::min(n, n0 + kTileN);
  float* const panel = scratch.data();
  for (int64_t r = 0; r < rows; r += kRows)
    for (int64_t j = n0; j < n1; j += kPanel) {
      const int64_t count = std::min(kRows, rows - r), columns = std::min(kPanel, n1 - j);
      for (int64_t i = 0; i < count; ++i) std::copy_n(dout + (r + i) * ld_dout + j, columns, panel + i * kPanel);
      if (dbias && k0 == 0)
        for (int64_t i = 0; i < count; ++i) kernels.add(dbias + j, panel + i * kPanel, columns);
      float* const to = dw + k0 * n + j;
      kernels.multiply_transposed(to, n, to, n, x + r * ld_x + k0, ld_x, panel, kPanel, tile_k, count, columns);
    }
}

}  // namespace tlm::lm
