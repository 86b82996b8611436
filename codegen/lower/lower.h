// Subgraph + plan → loop IR, as a list of passes.
#pragma once

#include <functional>
#include <string>

#include "tlm/core/target.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/space/plan.h"

namespace tlm::codegen {

struct LowerOptions {
  // Sees (and, in tests that plant faults, may change) the kernel after each pass.
  std::function<void(const std::string& pass, ir::Kernel& kernel)> after;
};

// Every legal plan lowers. For a CUDA target, loops are bound to blocks and threads. Verifies the result.
ir::Kernel lower(const ir::Subgraph& g, const space::SchedulePlan& plan, const Target& target, const LowerOptions& options = {});

}  // namespace tlm::codegen
