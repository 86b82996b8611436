// The first pass: a plan becomes loop nests over tensor-level loads and stores.
#pragma once

#include "tlm/core/target.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/space/plan.h"

namespace tlm::codegen {

// One phase for each nest. Leading parallel loops stay nested (kind kParallel); points of a register tile are kUnrolled loops
// around one kVector loop; accumulators are kRegister buffers whose elements are vectors where a kVector loop touches them.
// For a CUDA target the vector axis is unrolled like any other.
ir::Kernel apply_schedule(const ir::Subgraph& g, const space::SchedulePlan& plan, const Target& target);

}  // namespace tlm::codegen
