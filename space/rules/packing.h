// The layout of a constant that a register tile reads front to back.
#pragma once

#include <vector>

#include "tlm/ir/loop/stmt.h"
#include "tlm/space/rules/sketch.h"

namespace tlm::space {

// [other spatial dims][blocks of the panel axis][reduction dims in loop order][block], zeros beyond the end. Empty: there is
// none, or it is row-major. The physical index of an entry {dim, extent, step} is ⌊i_dim / step⌋, modulo `extent` unless it is
// the first of its dim.
std::vector<ir::PackedDim> panels(const ir::TensorDecl& t, const NestInfo& n, const NestPlan& plan, const Access& a);
// One load in the whole subgraph, producers inlined: no other reader is disturbed by a new layout.
bool read_once(const Context& c, const Sketch& s, int tensor);

}  // namespace tlm::space
