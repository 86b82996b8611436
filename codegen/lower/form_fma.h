// Multiply-adds of reductions become one operation.
#pragma once

#include "tlm/core/target.h"
#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// acc = acc + x·y becomes acc = fma(x, y, acc) for floats where the target has the instruction. Not with strict numerics.
void form_fma(ir::Kernel& k, const Target& target);

}  // namespace tlm::codegen
