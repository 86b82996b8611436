// Invariants of every plan that a space yields, stated anew and without the rules' own code.
#pragma once

#include "tlm/core/target.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/plan.h"
#include "tlm/space/space.h"

namespace tlm::space::test {

// Reports violations as test failures.
void check_plan(const ir::Subgraph& g, const Target& t, const SchedulePlan& plan);
void check_plan(const Walk& walk);  // of a complete one

}  // namespace tlm::space::test
