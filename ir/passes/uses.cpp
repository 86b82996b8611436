#include "tlm/ir/passes/uses.h"

namespace tlm::ir {

Uses::Uses(const Graph& g) : readers_(g.values.size()), outputs_(g.values.size(), 0) {
  for (size_t n = 0; n < g.nodes.size(); ++n) {
    const NodeId id{static_cast<int>(n)};
    for (ValueId v : g.nodes[n].inputs) {
      if (!v.valid()) continue;
      std::vector<NodeId>& readers = readers_[static_cast<size_t>(v.index)];
      if (readers.empty() || readers.back() != id) readers.push_back(id);
    }
  }
  for (ValueId v : g.outputs) outputs_[static_cast<size_t>(v.index)] = 1;
}

}  // namespace tlm::ir
