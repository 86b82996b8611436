// Random contents for checks and measurements.
#pragma once

#include "tlm/core/rng.h"
#include "tlm/core/tensor.h"

namespace tlm::codegen {

// Floats are normal (deviation 1), integers uniform in [0, 8), booleans 0 or 1: small enough for every integer type, and indices
// of most axes.
Tensor random_tensor(DType dtype, const Shape& shape, Rng& rng);

}  // namespace tlm::codegen
