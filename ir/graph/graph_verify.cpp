// What holds for every Graph between passes.
#include <algorithm>
#include <set>

#include "tlm/core/error.h"
#include "tlm/ir/graph/op_table.h"

namespace tlm::ir {

namespace {

[[noreturn]] void broken(const std::string& rule, const std::string& where) {
  throw InternalError(ErrorCode::kInternal, "graph invariant broken: " + rule, where);
}

std::string label(const Graph& g, NodeId id) {
  const Node& n = g.node(id);
  return "node " + std::to_string(id.index) + " '" + n.name + "', operator " + std::string(op_kind_name(n.op));
}

bool in_range(const Graph& g, ValueId v) { return v.index >= -1 && v.index < static_cast<int>(g.values.size()); }

void verify_value(const Graph& g, ValueId id) {
  const Value& v = g.value(id);
  const std::string where = "value " + std::to_string(id.index) + " '" + v.name + "'";
  if (v.constant) {
    if (v.producer.valid()) broken("a constant has no producer", where);
    if (v.constant->dtype() != v.dtype || v.constant->shape() != v.shape) {
      broken("a constant has the shape and dtype of its value: " + std::string(dtype_name(v.constant->dtype())) +
                 to_string(v.constant->shape()) + " and " + std::string(dtype_name(v.dtype)) + to_string(v.shape),
             where);
    }
  }
  if (!v.order.empty()) {
    std::vector<int> sorted = v.order;
    std::sort(sorted.begin(), sorted.end());
    for (size_t d = 0; d < sorted.size(); ++d)
      if (sorted.size() != v.shape.size() || sorted[d] != static_cast<int>(d))
        broken("an order is a permutation of the dimensions", where);
  }
  if (!v.producer.valid()) return;
  if (v.producer.index >= static_cast<int>(g.nodes.size())) broken("a producer is a node", where);
  const auto& outs = g.node(v.producer).outputs;
  if (std::count(outs.begin(), outs.end(), id) != 1) broken("a value is one output of its producer", where);
}

void verify_ids(const Graph& g, NodeId id) {
  const Node& n = g.node(id);
  for (ValueId v : n.inputs)
    if (!in_range(g, v)) broken("inputs are values", label(g, id));
  for (ValueId v : n.outputs) {
    if (!in_range(g, v)) broken("outputs are values", label(g, id));
    if (v.valid() && g.value(v).producer != id) broken("a node is the producer of its outputs", label(g, id));
  }
}

}  // namespace

void verify(const Graph& g) {
  for (size_t i = 0; i < g.nodes.size(); ++i) verify_ids(g, {static_cast<int>(i)});
  for (size_t i = 0; i < g.values.size(); ++i) verify_value(g, {static_cast<int>(i)});

  std::vector<char> available(g.values.size(), 0);
  for (size_t i = 0; i < g.values.size(); ++i) available[i] = g.values[i].constant.has_value();
  std::set<std::string> names;
  for (const auto* list : {&g.inputs, &g.outputs}) {
    names.clear();
    for (ValueId v : *list) {
      if (!v.valid() || !in_range(g, v)) broken("graph inputs and outputs are values", "graph '" + g.name + "'");
      if (!names.insert(g.value(v).name).second)
        broken("names of graph inputs and outputs are distinct", "value '" + g.value(v).name + "'");
    }
  }
  for (ValueId v : g.inputs) {
    if (g.value(v).producer.valid() || g.value(v).constant)
      broken("a graph input is neither produced nor constant", "value '" + g.value(v).name + "'");
    available[static_cast<size_t>(v.index)] = 1;
  }

  // Inference on a copy must neither change a node nor the shape or dtype of an output. (Tensors share storage: the copy is
  // cheap.)
  Graph copy = g;
  for (NodeId id : g.topological_order()) {
    const Node& n = g.node(id);
    for (ValueId v : n.inputs)
      if (v.valid() && !available[static_cast<size_t>(v.index)])
        broken("inputs are produced before they are read: '" + g.value(v).name + "'", label(g, id));
    for (ValueId v : n.outputs)
      if (v.valid()) available[static_cast<size_t>(v.index)] = 1;
    try {
      infer_node(copy, id);
    } catch (const Error& e) {
      broken(std::string("shape rules accept the node: ") + e.message(), label(g, id));
    }
    const Node& again = copy.node(id);
    if (again.op != n.op || again.inputs != n.inputs || again.attrs.size() != n.attrs.size())
      broken("nodes are in canonical form", label(g, id));
    for (ValueId v : n.outputs) {
      if (!v.valid()) continue;
      const Value &is = g.value(v), &should = copy.value(v);
      if (is.shape != should.shape || is.dtype != should.dtype) {
        broken("output '" + is.name + "' has the inferred shape and dtype: " + std::string(dtype_name(is.dtype)) +
                   to_string(is.shape) + " and " + std::string(dtype_name(should.dtype)) + to_string(should.shape),
               label(g, id));
      }
    }
  }
  for (ValueId v : g.outputs)
    if (!available[static_cast<size_t>(v.index)]) broken("graph outputs are produced", "value '" + g.value(v).name + "'");
}

}  // namespace tlm::ir
