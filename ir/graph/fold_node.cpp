#include "tlm/ir/graph/fold_node.h"

#include "tlm/core/error.h"
#include "tlm/ir/lowering/lower_operator.h"
#include "tlm/ir/tensor/evaluate.h"

namespace tlm::ir {

namespace {

// The node's outputs, by position (those that nobody names stay empty); nothing if lowering refuses the node or it is too much
// work.
std::optional<std::vector<std::optional<Tensor>>> compute(const Graph& g, const Node& n, double max_flops) {
  std::vector<std::optional<Tensor>> results(n.outputs.size());
  if (route(n.op) == Route::kView && n.outputs.size() == 1) {
    results[0] = g.value(n.inputs[0]).constant->reshaped(g.value(n.outputs[0]).shape);
    return results;
  }
  bool all_empty = true;
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (!n.outputs[i].valid()) continue;
    const Value& v = g.value(n.outputs[i]);
    if (element_count(v.shape) == 0)
      results[i] = Tensor(v.dtype, v.shape);
    else
      all_empty = false;
  }
  if (all_empty) return results;

  SubgraphBuilder b(g);
  try {
    lower_node(n, b);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kUnsupported) return std::nullopt;
    throw;
  }
  if (flops(b.subgraph) > max_flops) return std::nullopt;
  std::vector<Tensor> bound(b.subgraph.tensors.size());
  for (size_t t = 0; t < bound.size(); ++t) {
    if (b.made_up[t])
      bound[t] = *b.made_up[t];
    else if (b.binding[t].valid() && g.value(b.binding[t]).constant)
      bound[t] = *g.value(b.binding[t]).constant;
  }
  evaluate(b.subgraph, bound);
  for (size_t t = 0; t < bound.size(); ++t) {
    for (size_t i = 0; i < n.outputs.size(); ++i)
      if (b.binding[t].valid() && b.binding[t] == n.outputs[i]) results[i] = std::move(bound[t]);
  }
  for (size_t i = 0; i < n.outputs.size(); ++i)
    TLM_CHECK(!n.outputs[i].valid() || results[i]) << "operator " << op_kind_name(n.op) << " left output " << i << " unwritten";
  return results;
}

}  // namespace

bool fold_node(Graph& g, NodeId id, double max_flops) {
  const Node& n = g.node(id);
  if (n.op == OpKind::kRemoved || route(n.op) == Route::kRuntimeCall) return false;
  for (ValueId in : n.inputs)
    if (in.valid() && !g.value(in).constant) return false;
  auto results = compute(g, n, max_flops);
  if (!results) return false;
  const std::vector<ValueId> outputs = n.outputs;
  g.remove_node(id);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].valid()) continue;
    Value& v = g.value(outputs[i]);
    const Tensor& t = *(*results)[i];
    TLM_CHECK(t.dtype() == v.dtype && t.shape() == v.shape)
        << "value " << v.name << " of shape " << to_string(v.shape) << " folded to shape " << to_string(t.shape());
    v.constant = std::move(*(*results)[i]);
  }
  return true;
}

}  // namespace tlm::ir
