// Index arithmetic leaves inner loops.
#pragma once

#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// Offsets of loads and stores are split by loop depth: what does not change in a loop is an i64 let before it, shared by all
// offsets that differ by a constant. Conditions that do not change in a loop are bool lets before it.
void hoist_offsets(ir::Kernel& k);

}  // namespace tlm::codegen
