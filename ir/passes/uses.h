// Who reads each value. Built once for a pass, where Graph::readers would look through all nodes each time.
#pragma once

#include <vector>

#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

struct Uses {
  explicit Uses(const Graph& g);

  // Nodes that read `v`, each once, by number.
  const std::vector<NodeId>& readers(ValueId v) const { return readers_[static_cast<size_t>(v.index)]; }
  bool is_output(ValueId v) const { return outputs_[static_cast<size_t>(v.index)] != 0; }
  // Read by exactly one node and not a graph output.
  bool only_reader(ValueId v) const { return readers(v).size() == 1 && !is_output(v); }

 private:
  std::vector<std::vector<NodeId>> readers_;
  std::vector<char> outputs_;
};

}  // namespace tlm::ir
