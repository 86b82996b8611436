// Parallel loops of a phase become one.
#pragma once

#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// Nested kParallel loops merge into a single one whose index is taken apart by ÷ and mod; a loop whose trip count varies runs to
// its bound behind an If. Sets Phase::extent.
void merge_parallel(ir::Kernel& k);

}  // namespace tlm::codegen
