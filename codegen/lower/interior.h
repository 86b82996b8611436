// Register tiles away from the border of what they read need no guards.
#pragma once

#include <optional>
#include <vector>

#include "tlm/codegen/lower/axis_tiles.h"
#include "tlm/ir/tensor/stage.h"

namespace tlm::codegen {

struct Interior {
  ir::Expr condition;  // on the positions of the tile: every guard holds at all of its points
  ir::Stage stage;     // without the guards
};

// A guard is select(conjunction of comparisons that are affine in the axes, value, other). nullopt: the body has none, or they
// never hold for a whole tile. `regions` by axis, those of reduction axes are ignored; `extents` by kernel variable.
std::optional<Interior> interior(const ir::Stage& s, const std::vector<Region>& regions, const std::vector<int64_t>& extents);

}  // namespace tlm::codegen
