// Requests for weights before they are needed.
#pragma once

#include <vector>

#include "tlm/codegen/lower/register_tile.h"

namespace tlm::codegen {

// While one panel of a packed constant is read, over and over by the loops inside the loop of panels, the next panel is asked
// for: each pass of the inner loops asks for its share. Statements for the innermost reduction body of the register tile at
// `regions` (by axis, reduction axes included); empty: nothing is read by panels, or there is one panel only.
std::vector<ir::Stmt> prefetch_panels(const ir::Kernel& k, const TileContext& c, const std::vector<Region>& regions);

}  // namespace tlm::codegen
