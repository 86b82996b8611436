// Where the elements of a tensor lie when a kernel runs. Both space (what does a nest touch?) and codegen use it.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::space {

// Strides in elements, by dimension: as declared for inputs and outputs; row-major for constants (a schedule may pack them).
// Internal tensors keep their declared order of dimensions; rows whose bytes are a multiple of 2 KB get one cache line more,
// because rows a power of two apart share a few sets of L1, and a register tile walks many rows at once.
std::vector<int64_t> physical_strides(const ir::TensorDecl& t);
// Elements of the buffer that such strides need.
int64_t physical_elements(const ir::TensorDecl& t);

}  // namespace tlm::space
