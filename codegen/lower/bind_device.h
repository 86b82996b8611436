// Parallel loops of a CUDA kernel are shared out over blocks and threads.
#pragma once

#include "tlm/core/target.h"
#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// The parallel loop of each phase (already merged) becomes a kBlock loop around a kThread loop; a serial phase one block of one
// thread. Sets Phase::extent to the number of blocks and Phase::threads.
void bind_device(ir::Kernel& k, const Target& target);

}  // namespace tlm::codegen
