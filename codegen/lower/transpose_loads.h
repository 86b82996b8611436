// Loads across rows become loads along them and a transposition in registers.
#pragma once

#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// Vectors gathered lane by lane, lane i from address base + i·stride + c, where four of them, of one straight run of statements,
// have successive c: each lane's row is loaded as four elements instead, and the four vectors are put together from those.
void transpose_loads(ir::Kernel& k);

}  // namespace tlm::codegen
