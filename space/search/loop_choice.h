// The constructive scheduler's cache tiles and loop orders: what moves least data and feeds every core.
#pragma once

#include "tlm/space/rules/sketch.h"

namespace tlm::space {

// Traffic with the best order of the register-tile loops and no cache tiles.
double best_inner_traffic(const NestInfo& n, const NestPlan& plan, const Target& t);
// Costs of candidates, everything decided before them as it is, everything after as good as can be.
double tile_cost(const Context& c, const Sketch& s, int axis, int64_t size);
double order_cost(const Context& c, const Sketch& s, const Choice& order);
double inner_cost(const Context& c, const Sketch& s, const Choice& inner);

}  // namespace tlm::space
