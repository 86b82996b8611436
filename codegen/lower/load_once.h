// Common subexpressions of straight-line code are computed once.
#pragma once

#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// In each straight run of statements, a load (or a value computed from loads) that occurs more than once is kept in a let before
// its first use. A store to memory ends the life of what was read from buffers that it may alias; loads guarded by a select are
// shared only as part of the whole select.
void load_once(ir::Kernel& k);

}  // namespace tlm::codegen
