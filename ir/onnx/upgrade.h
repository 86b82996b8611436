// Older meanings of operators in terms of the newest ones.
#pragma once

#include <vector>

#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

// Adds `n` (attributes and inputs as the model's opset has them, output values already added) to the graph in the form of
// op_table.h, inferred, with helper nodes before or after it where the meaning has changed. Appends what it added, in order.
// Throws Error as infer_node does.
void add_upgraded(Graph& g, Node n, int opset, std::vector<NodeId>& added);

}  // namespace tlm::ir
