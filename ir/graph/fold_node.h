// A node whose inputs are constant becomes constants.
#pragma once

#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

// Computes the node, makes its outputs constant values and removes it. False, and nothing changed, if an input is not constant or
// tlm cannot compute the node without running a package (a runtime call, an unsupported attribute), or it is more work than
// `max_flops`. The node must be inferred.
// Operands stay as they are: who folds many nodes frees those that nobody reads any more. Views share their operand's storage.
bool fold_node(Graph& g, NodeId id, double max_flops = 1e300);

}  // namespace tlm::ir
