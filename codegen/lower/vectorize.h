// Vector loops become vector expressions.
#pragma once

#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// In a kVector loop: loads and stores of stride 1 become contiguous, invariant values stay scalars (broadcast where they meet a
// vector), anything else is put together lane by lane. Lanes beyond `active` are neither read nor written. An arm of a select
// whose condition differs between lanes is evaluated for all lanes only if its loads are inside their buffers everywhere.
void vectorize(ir::Kernel& k);

}  // namespace tlm::codegen
