// Large constants that elementwise nodes compute from one another (weights generated inside a model): the whole chain runs over a
// block of elements at a time, so that nothing but the last value ever exists in full.
#pragma once

#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

class BlockFolder {
 public:
  explicit BlockFolder(const Graph& g);

  // Takes the node if its output is large and constant, and each element depends on scalars and the same element of other
  // constants or of nodes taken before. The caller leaves a taken node in the graph and asks for the values it needs.
  bool take(NodeId n);
  bool taken(ValueId v) const { return taken_[static_cast<size_t>(v.index)] != 0; }
  Tensor compute(ValueId v) const;  // taken(v)

 private:
  struct Chain;
  Chain chain_of(ValueId v) const;
  Graph block_graph(const Chain& chain, int64_t extent) const;

  const Graph& g_;
  std::vector<int> taken_;  // by value: nodes in a row that lead to it; 0: not taken
};

}  // namespace tlm::ir
