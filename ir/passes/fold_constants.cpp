// Nodes whose inputs are all constant become constants.
#include <algorithm>

#include "tlm/ir/graph/fold_node.h"
#include "tlm/ir/passes/block_fold.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/ir/passes/uses.h"

namespace tlm::ir {
namespace {

// A value without elements is known. Nodes that read it and nothing else fold, whatever they do.
bool fold_empty_values(Graph& g) {
  const Uses uses(g);
  const size_t count = g.values.size();
  bool changed = false;
  for (size_t i = 0; i < count; ++i) {
    const ValueId id{static_cast<int>(i)};
    if (g.values[i].constant || element_count(g.values[i].shape) != 0 || uses.readers(id).empty()) continue;
    // A copy: ports of the model stay as they are, and the producer dies if nobody else needs it.
    const ValueId constant = g.add_constant(std::string(g.values[i].name), Tensor(g.values[i].dtype, g.values[i].shape));
    for (NodeId reader : uses.readers(id)) {
      for (ValueId& v : g.node(reader).inputs) {
        if (v == id) v = constant;
      }
    }
    changed = true;
  }
  return changed;
}

class ConstantFolder {
 public:
  explicit ConstantFolder(Graph& g) : g_(g), uses_(g), blocks_(g), unread_(g.values.size(), 0) {
    for (size_t v = 0; v < g.values.size(); ++v) unread_[v] = static_cast<int>(uses_.readers({static_cast<int>(v)}).size());
  }

  bool run() {
    for (NodeId id : g_.topological_order()) {
      if (g_.node(id).op == OpKind::kRemoved) continue;
      if (blocks_.take(id)) {
        deferred_.push_back(id);
        continue;
      }
      const std::vector<ValueId> inputs = g_.node(id).inputs;
      for (ValueId v : inputs) {
        if (v.valid()) want(v);
      }
      if (!fold_node(g_, id)) continue;
      changed_ = true;
      release(inputs);
    }
    for (NodeId id : deferred_) {
      for (ValueId v : g_.node(id).outputs) {
        if (uses_.is_output(v)) want(v);
      }
    }
    for (NodeId id : deferred_) {
      // What was wanted is a constant already; the rest is read by nobody.
      for (ValueId v : g_.node(id).outputs) g_.value(v).producer = {};
      g_.node(id).outputs.clear();
      g_.remove_node(id);
      changed_ = true;
    }
    return changed_;
  }

 private:
  // Producers stay until the end: values that are not computed yet may need them.
  void want(ValueId v) {
    if (blocks_.taken(v) && !g_.value(v).constant) g_.value(v).constant = blocks_.compute(v);
  }

  // One reader less; a constant that nobody reads any more is freed.
  void release(const std::vector<ValueId>& inputs) {
    std::vector<ValueId> once = inputs;
    std::sort(once.begin(), once.end());
    once.erase(std::unique(once.begin(), once.end()), once.end());
    for (ValueId v : once) {
      if (!v.valid() || --unread_[static_cast<size_t>(v.index)] > 0 || uses_.is_output(v)) continue;
      g_.value(v).constant.reset();
    }
  }

  Graph& g_;
  const Uses uses_;
  BlockFolder blocks_;
  std::vector<int> unread_;  // by value: readers that are left
  std::vector<NodeId> deferred_;
  bool changed_ = false;
};

}  // namespace

bool fold_constants(Graph& g) {
  const bool empty = fold_empty_values(g);
  const bool folded = ConstantFolder(g).run();
  if (empty || folded) g.compact();
  return empty || folded;
}

}  // namespace tlm::ir
