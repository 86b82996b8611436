// The constructive scheduler's choice of where a stage is computed.
#pragma once

#include "tlm/space/rules/sketch.h"

namespace tlm::space {

Attach attach_choice(const Context& c, const Sketch& s, const Decision& d);

}  // namespace tlm::space
