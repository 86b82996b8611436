// Vector loops become vector expressions.
#pragma once

#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// In a kVector loop: loads and stores of stride 1 become contiguous, invariant values stay scalars (broadcast where they meet a
// vector), anything else is put together lane by lane. Lanes beyond `active` are neither read nor written. Where the condition
// of a select differs between lanes, both arms are evaluated for all lanes; a load that may lie outside of its buffer where the
// condition does not hold is masked by it: select(mask, load, 0) reads the lanes of the mask only.
void vectorize(ir::Kernel& k);

}  // namespace tlm::codegen
