// Tensor elements become addresses: one flat offset for each load and store.
#pragma once

#include "tlm/ir/loop/stmt.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::codegen {

// Offsets follow from the strides of a tensor, or from the packed layout of a constant (KernelParam::packed). Internal tensors
// that are stored get a place in the workspace; those whose lives do not overlap share bytes.
void place_storage(ir::Kernel& k);

}  // namespace tlm::codegen
