// The steps of a partition: subgraphs of stages with their tensors bound to values.
#pragma once

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/partition/grouping.h"
#include "tlm/ir/partition/placement.h"
#include "tlm/ir/passes/uses.h"

namespace tlm::ir {

class StepBuilder {
 public:
  StepBuilder(const Graph& g, const Placement& places);

  // One subgraph of the stages of all nodes of the group; no step if nothing of it is read outside.
  std::optional<Step> subgraph(const Group& group) const;
  Step runtime_call(NodeId n) const;
  Step copy(const BufferCopy& copy, const std::string& name) const;
  // A graph output that is a constant is copied from it; one that is a graph input too, from there.
  Step port_copy(ValueId output) const;

 private:
  TensorDecl declare(const BufferView& view, TensorRole role) const;

  const Graph& g_;
  const Placement& places_;
  const Uses uses_;
};

// Removes stages whose outputs nobody reads, and tensors that no stage uses. `binding` and `made_up` follow.
void prune(Subgraph& g, std::vector<ValueId>& binding, std::vector<std::optional<Tensor>>& made_up);

}  // namespace tlm::ir
