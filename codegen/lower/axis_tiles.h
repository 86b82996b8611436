// How one spatial axis is cut into register tiles: indices, extents, where each tile starts and how many points it has.
#pragma once

#include "tlm/ir/tensor/expr.h"
#include "tlm/space/plan.h"

namespace tlm::codegen {

// The points that one register tile covers on an axis: [base, base + size).
struct Region {
  ir::Expr base;
  int64_t size = 1;
};

// Tiles come in at most two sizes. `condition` chooses `first`; empty: always `first`.
struct TileSplit {
  ir::Expr condition;
  Region first, second;
};

struct AxisTiles {
  int64_t extent = 1, tile = 1;
  space::Tail tail = space::Tail::kPeeled;
  int64_t tiles = 1;        // register tiles over the whole axis
  int64_t cache_tiles = 1;  // trips of the cache loop
  int64_t per_cache = 1;    // register tiles of a full cache tile
  ir::Expr cache_index;     // loop variables; literal 0 where there is no loop
  ir::Expr inner_index;

  ir::Expr inner_extent() const;  // trips of the register-tile loop inside the current cache tile
  ir::Expr index() const;         // number of the register tile on the axis
  TileSplit split() const;
};

AxisTiles axis_tiles(int64_t extent, const space::AxisPlan& plan);

}  // namespace tlm::codegen
