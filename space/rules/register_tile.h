// The register tile: which axis is a vector, how many vectors and points of other axes stay in registers.
#pragma once

#include "tlm/core/target.h"
#include "tlm/space/decision.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {

struct Micro {
  int vector_axis = -1;
  int lanes = 1;
  int64_t vectors = 1;
  int axis[2] = {-1, -1};
  int64_t tile[2] = {1, 1};

  static Micro from(const Choice& c);
  Choice choice() const { return {vector_axis, lanes, vectors, axis[0], tile[0], axis[1], tile[1]}; }
  // Points of the tile along an axis, counted in registers: vectors on the vector axis.
  int64_t registers_along(int a) const;
};

// Elements of a full vector of this nest on the target; 1: the target has no vectors.
int full_lanes(const NestInfo& n, const Target& t);
// Registers that hold the values of `load` for one step of the reduction (of a reduced vector axis: one vector).
int64_t operand_registers(const NestInfo& n, const Micro& m, const Access& load);
int64_t accumulator_registers(const NestInfo& n, const Micro& m);
// Accumulators + the operands that are held (all but the largest set) + one streamed + temporaries.
int64_t registers_needed(const NestInfo& n, const Target& t, const Micro& m);
// Axes that may be the vector axis, best first; `gathers` tells that none of them has every access contiguous or invariant.
std::vector<int> vector_axes(const NestInfo& n, bool* gathers);

std::vector<Micro> micro_candidates(const NestInfo& n, const Target& t);

}  // namespace tlm::space
