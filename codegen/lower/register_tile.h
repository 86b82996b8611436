// The body of a register tile: accumulators in registers over the whole reduction, epilogues on them, then the stores.
#pragma once

#include <memory>
#include <vector>

#include "tlm/codegen/lower/axis_tiles.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/space/plan.h"

namespace tlm::codegen {

// A loop around the register tiles.
struct TileLoop {
  int axis = -1, var = -1;
  int64_t trips = 1;  // at most
};

// What every register tile of a nest shares.
struct TileContext {
  space::NestPlan nest;
  ir::Stage stage;                  // producers inlined
  std::vector<ir::Stage> epilogue;  // in order, producers inlined
  std::vector<bool> stored;         // by tensor: must be written to memory
  bool vector_reduce = false;       // the vector axis is a reduction axis
  std::vector<TileLoop> loops;      // outermost first
};

std::shared_ptr<TileContext> make_context(const ir::Subgraph& g, const space::SchedulePlan& plan, const space::NestPlan& nest,
                                          const ir::Stage& stage, const std::vector<bool>& stored);

// `regions` by axis of the stage; those of reduction and scan axes are ignored.
ir::Stmt register_tile(ir::Kernel& k, const TileContext& context, const std::vector<Region>& regions);

}  // namespace tlm::codegen
