// A schedule of one workload carried over to another one.
#pragma once

#include "tlm/space/space.h"

namespace tlm::eval {

// Walks `space`: at each decision the legal candidate that comes nearest to what `recorded` (complete, of another space) chose at
// the same decision: of the same kind and tensor or axis, about the main stage, or about the stage of the same number. Where it
// says nothing the constructive choice is taken.
space::Walk project(const space::Walk& recorded, const space::Space& space);

}  // namespace tlm::eval
