// What may be learned from: asked by training and by all that is compared with it.
#pragma once

#include <string>

#include "tlm/core/target.h"
#include "tlm/space/records/exclusion.h"

namespace tlm::collect {

// Why nothing may be learned from what was measured of `g` on `t`: the hardware is a variant that is held out, or `lists`
// (read_exclusion; null: none) say so. Empty: it may be.
std::string obstacle(const space::Exclusion* lists, const ir::Subgraph& g, const Target& t);

}  // namespace tlm::collect
