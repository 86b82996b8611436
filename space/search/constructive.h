// The constructive scheduler: one schedule by a small model of instructions and memory traffic, nothing measured.
#pragma once

#include "tlm/space/rules/sketch.h"

namespace tlm::space {

// The candidate to take at the open decision `d` of `s`, whatever the choices before it were. Deterministic.
int constructive_choice(const Context& c, const Sketch& s, const Decision& d);

}  // namespace tlm::space
