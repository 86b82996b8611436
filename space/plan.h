// What a complete schedule says, resolved to numbers: the contract between space (which writes plans) and codegen (which lowers
// them).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/ir/loop/stmt.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::space {

enum class Attach : uint8_t {
  kRoot,      // a loop nest of its own; its outputs are stored
  kInline,    // no reduction: its expression replaces every load of its output
  kEpilogue,  // no reduction: computed on the accumulators of the nest (with a reduction, without a scan) that produces one of
              // its operands at the same point, which is then not stored (unless other stages or the outside read it). Axis i of
              // the stage is spatial axis i of the root, of the same extent
};

enum class Tail : uint8_t {
  kPeeled,    // full tiles, then one smaller tile
  kBalanced,  // ⌈E/tile⌉ tiles whose sizes differ by at most one (never on the vector axis; only without cache tile)
  kShifted,   // the last tile starts at E - tile and overlaps its neighbour (E >= tile; idempotent stores only)
};

// One axis of a root stage. Loops of a spatial axis, from outside: cache tiles, register tiles within a cache tile, points of a
// register tile (unrolled; `lanes` of them in one vector on the vector axis). Of a reduction axis: one loop, unrolled by `tile`.
struct AxisPlan {
  int64_t tile = 1;   // points of a register tile; on the vector axis lanes × number of vectors; on a reduction axis the unroll
  int64_t cache = 0;  // points of a cache tile, a multiple of `tile`; 0: no such loop. Spatial axes only
  Tail tail = Tail::kPeeled;
  bool operator==(const AxisPlan&) const = default;
};

struct NestPlan {
  int stage = -1;                 // the root stage
  std::vector<int> epilogue;      // stages computed on its accumulators, in order
  std::vector<AxisPlan> axes;     // by axis of the stage
  int vector_axis = -1;           // -1: no vector. A reduction axis: lanes partial accumulators, combined at the end
  int lanes = 1;                  // elements of one vector (a power of two)
  std::vector<int> order;         // spatial axes: the cache-level loops, outermost first
  std::vector<int> inner_order;   // spatial axes: the register-tile loops, outermost first
  std::vector<int> reduce_order;  // reduction axes, outermost first (a scan axis is always the innermost spatial loop)
  std::vector<int>
      unroll_order;   // axes with tile > 1: order of the unrolled points, outermost first (what is held, what streams)
  int parallel = 0;   // leading loops (of order ++ inner_order, skipping loops of one iteration) shared out as one; 0: serial
  int64_t grain = 1;  // merged iterations handed out at once
  bool prefetch = false;  // while a panel of a constant is read, the next one is asked for
  bool operator==(const NestPlan&) const = default;
};

struct SchedulePlan {
  std::vector<Attach> attach;                      // by stage
  std::vector<NestPlan> nests;                     // in execution order; one for each root stage
  std::vector<std::vector<ir::PackedDim>> packed;  // by tensor; constants only, empty: row-major
};

std::string print(const SchedulePlan& plan, const ir::Subgraph& g);

// The stage that a nest executes once inlined producers are substituted into it (recursively): same axes, same outputs.
// Both space (what does the nest load?) and codegen use it.
ir::Stage inlined_stage(const ir::Subgraph& g, const std::vector<Attach>& attach, int stage);

}  // namespace tlm::space
