// The constructive scheduler's cache tiles and loop orders: what moves least data and feeds every core.
#pragma once

#include "tlm/space/rules/sketch.h"

namespace tlm::space {

// Cycles with the best order of the register-tile loops and no cache tiles; `compute`: of the plan's register tile.
double best_without_tiles(const NestInfo& n, const NestPlan& plan, const Target& t, double compute);
// Costs of candidates, everything decided before them as it is, everything after as good as can be.
double tile_cost(const Context& c, const Sketch& s, int axis, int64_t size);
double order_cost(const Context& c, const Sketch& s, const Choice& order);
double inner_cost(const Context& c, const Sketch& s, const Choice& inner);

}  // namespace tlm::space
