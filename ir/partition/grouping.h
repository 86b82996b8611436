// Which nodes make one subgraph.
#pragma once

#include <vector>

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/partition/node_facts.h"
#include "tlm/ir/partition/placement.h"

namespace tlm::ir {

struct Group {
  std::vector<NodeId> nodes;  // operands before readers, in an order that follows from the group's structure alone
  NodeId leader;              // the node that reduces; else the last one
};

// All nodes, in execution order. Nodes that placement made free, and nodes without stages, are groups of their own.
// With `fuse` false every node is.
std::vector<Group> group_nodes(const Graph& g, const std::vector<NodeFacts>& facts, const Placement& places, bool fuse);

}  // namespace tlm::ir
