// Takes a graph apart into subgraphs, runtime calls and views, in execution order.
#pragma once

#include <string>
#include <vector>

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {

enum class StepKind : uint8_t { kSubgraph, kRuntimeCall };

struct Step {
  StepKind kind = StepKind::kSubgraph;
  std::string name;                           // of the leading node, for reports
  Subgraph subgraph;                          // kSubgraph
  std::vector<ValueId> binding;               // kSubgraph: by tensor; invalid: internal or made up. kRuntimeCall: inputs, then outputs
  std::vector<std::optional<Tensor>> made_up; // kSubgraph: by tensor
  std::string call;                           // kRuntimeCall: name in the runtime's table
  Attributes attrs;                           // kRuntimeCall
  std::vector<NodeId> nodes;
};

struct Partition {
  std::vector<Step> steps;
  std::vector<ValueId> alias;                 // by value: the value whose buffer it shares (itself if none)
};

struct PartitionOptions {
  bool fuse = true;  // elementwise consumers and producers join their neighbour's subgraph
};

Partition partition(const Graph& g, const PartitionOptions& options = {});

}  // namespace tlm::ir
