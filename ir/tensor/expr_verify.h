// What an operator may be applied to; shared by the verifiers of stages and of loop IR.
#pragma once

#include <string>

#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {

// The rule that this node (not its arguments) breaks, or "": arity, types, lanes.
std::string broken_rule(const Expr& e);

}  // namespace tlm::ir
