// Fast evaluation without a compiler, for constant folding: each expression runs over rows of up to 1024 points at a time.
// Not the oracle: `interpret` is, and a test holds them against one another.
#pragma once

#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {

// As interpret: completes `bound` with the outputs (internal tensors are freed as soon as no later stage reads them).
void evaluate(const Subgraph& g, std::vector<Tensor>& bound);

}  // namespace tlm::ir
