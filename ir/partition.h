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
  std::string name;              // of the leading node, for reports
  Subgraph subgraph;             // kSubgraph: with merged axes; a bound constant has its value's elements, not its shape
  std::vector<ValueId> binding;  // kSubgraph: by tensor; invalid: internal or made up. kRuntimeCall: inputs, then outputs
  std::vector<std::optional<Tensor>> made_up;  // kSubgraph: by tensor
  std::string call;                            // kRuntimeCall: name in the runtime's table
  Attributes attrs;                            // kRuntimeCall
  std::vector<NodeId> nodes;
};

struct Partition {
  std::vector<Step> steps;
  // By value: the value whose buffer it shares (itself if none). Where it lies there is said by the strides and the offset of the
  // tensors bound to it; several steps may write parts of one buffer (concatenation). Two ports of the model never share one.
  std::vector<ValueId> alias;
};

struct PartitionOptions {
  bool fuse = true;   // elementwise consumers and producers join their neighbour's subgraph
  bool views = true;  // reshapes, slices and concatenations share buffers where they can; false: each value has its own
};

// Orders of values are honoured, but ports of the model and operands of runtime calls are row-major always. Nothing is done for
// values without elements. A graph output without a node that makes it (a constant, or an input) is copied; a copied constant is
// `made_up`, not bound. Throws Error(kUnsupported) naming all nodes that cannot be lowered.
Partition partition(const Graph& g, const PartitionOptions& options = {});

}  // namespace tlm::ir
