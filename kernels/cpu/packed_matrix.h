// A matrix laid out for products from its left: panels of columns that are read from front to back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm/kernels/cpu/aligned_floats.h"
#include "tlm/kernels/cpu/block_kernels.h"

namespace tlm::kernels {

class PackedMatrix {
 public:
  static constexpr int64_t kPanel = 64;  // columns; a multiple of every register tile's

  void pack(const float* w, int64_t k, int64_t n);             // w [k, n]
  void pack_transposed(const float* w, int64_t k, int64_t n);  // wᵀ: w [n, k]
  int64_t panels() const { return (n_ + kPanel - 1) / kPanel; }

  // Columns [kPanel · panel, …) of out[rows, n] = init + a · w, as BlockKernels::multiply.
  void multiply_panel(const BlockKernels& kernels, int64_t panel, float* out, int64_t ld_out, const float* init, int64_t ld_init,
                      const float* a, int64_t ld_a, int64_t rows) const {
    const int64_t first = panel * kPanel, columns = std::min(kPanel, n_ - first);
    kernels.multiply(out + first, ld_out, init ? init + first : nullptr, ld_init, a, ld_a, data_.data() + first * k_, kPanel,
                     rows, k_, columns);
  }
  // All columns.
  void multiply(const BlockKernels& kernels, float* out, int64_t ld_out, const float* init, int64_t ld_init, const float* a,
                int64_t ld_a, int64_t rows) const {
    for (int64_t p = 0; p < panels(); ++p) multiply_panel(kernels, p, out, ld_out, init, ld_init, a, ld_a, rows);
  }

 private:
  float* resize(int64_t k, int64_t n);

  int64_t k_ = 0, n_ = 0;
  AlignedFloats data_;  // [panels][k][kPanel]; columns beyond n hold nothing and are not read
};

}  // namespace tlm::kernels
