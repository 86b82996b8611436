// Which algorithm a stage gets: each alternative is completed and its nests are compared.
#pragma once

#include "tlm/space/rules/sketch.h"

namespace tlm::space {

// Cycles of all nests once everything that is open is chosen constructively; stages whose algorithm is open keep theirs.
double completed_cycles(const Context& c, Sketch s);

// Position of the candidate of `d` (kAlgorithm) with the fewest cycles when all that is left is chosen constructively.
int algorithm_choice(const Context& c, const Sketch& s, const Decision& d);

}  // namespace tlm::space
