// Unrolled loops become straight-line code, register arrays become named locals.
#pragma once

#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// Copies the body of each kUnrolled loop (lets get names of their own in each copy). Then every element of a kRegister buffer is
// a local: its first store declares it.
void unroll(ir::Kernel& k);

}  // namespace tlm::codegen
