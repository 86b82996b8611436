// One nest of a plan as loops: tiles, tails, reductions, scans, epilogues.
#pragma once

#include <vector>

#include "tlm/core/target.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/space/plan.h"

namespace tlm::codegen {

// `stored`: by tensor, whether its values must be written to memory.
ir::Stmt build_nest(ir::Kernel& k, const ir::Subgraph& g, const space::SchedulePlan& plan, const space::NestPlan& nest,
                    const std::vector<bool>& stored, const Target& target);

}  // namespace tlm::codegen
