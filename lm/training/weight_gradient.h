// The gradient of a linear layer's weight, xᵀ · dout, in tiles that threads share out among themselves.
#pragma once

#include <cstdint>

#include "tlm/kernels/cpu/aligned_floats.h"
#include "tlm/kernels/cpu/block_kernels.h"

namespace tlm::lm {

class WeightGradientScratch {
 public:
  WeightGradientScratch();
  float* data() { return memory_.data(); }

 private:
  kernels::AlignedFloats memory_;
};

// dw[k, n] += x[rows, k]ᵀ · dout[rows, n]; dbias[n] += Σ_rows dout, unless null.
struct WeightGradient {
  float *dw, *dbias;
  const float *x, *dout;
  int64_t rows, k, n;
  int64_t ld_x, ld_dout;  // floats from row to row

  int64_t tiles() const;
  void add_tile(int64_t index, WeightGradientScratch& scratch) const;  // sums over the rows in their order
};

}  // namespace tlm::lm
