// Invariants of every plan that a space yields, stated anew and without the rules' own code.
#pragma once

#include "tlm/core/target.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/plan.h"

namespace tlm::space::test {

// Reports violations as test failures.
void check_plan(const ir::Subgraph& g, const Target& t, const SchedulePlan& plan);

}  // namespace tlm::space::test
