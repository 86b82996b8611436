#include "tlm/ir/partition.h"

#include "tlm/core/error.h"
#include "tlm/ir/partition/grouping.h"
#include "tlm/ir/partition/node_facts.h"
#include "tlm/ir/partition/placement.h"
#include "tlm/ir/partition/step_builder.h"

namespace tlm::ir {
namespace {

// Ports of the model and operands of runtime calls are row-major whatever the graph says. Constants share their storage.
Graph with_row_major_ports(const Graph& g) {
  Graph result = g;
  const auto clear = [&](ValueId v) {
    if (v.valid()) result.value(v).order.clear();
  };
  for (ValueId v : result.inputs) clear(v);
  for (ValueId v : result.outputs) clear(v);
  for (const Node& n : g.nodes) {
    if (n.op == OpKind::kRemoved || route(n.op) != Route::kRuntimeCall) continue;
    for (ValueId v : n.inputs) clear(v);
    for (ValueId v : n.outputs) clear(v);
  }
  return result;
}

// Facts of every node. Nodes that cannot be lowered are reported together.
std::vector<NodeFacts> facts_of(const Graph& g) {
  std::vector<NodeFacts> facts;
  facts.reserve(g.nodes.size());
  std::vector<Error> refused;
  for (const Node& n : g.nodes) {
    try {
      facts.push_back(n.op == OpKind::kRemoved ? NodeFacts{} : node_facts(g, n));
    } catch (const Error& e) {
      if (e.code() != ErrorCode::kUnsupported) throw;
      refused.push_back(e);
      facts.emplace_back();
    }
  }
  if (refused.size() == 1) throw refused[0];
  if (!refused.empty()) {
    std::string what = std::to_string(refused.size()) + " nodes are not supported:";
    for (const Error& e : refused) what += "\n  " + e.where() + ": " + e.message();
    throw Error(ErrorCode::kUnsupported, what, g.name.empty() ? "" : "model '" + g.name + "'");
  }
  return facts;
}

}  // namespace

Partition partition(const Graph& graph, const PartitionOptions& options) {
  const Graph g = with_row_major_ports(graph);
  const std::vector<NodeFacts> facts = facts_of(g);
  const Placement places = place_values(g, facts, options.views);
  const StepBuilder builder(g, places);

  Partition result;
  for (const Place& p : places.of) result.alias.push_back(p.root);
  for (const Group& group : group_nodes(g, facts, places, options.fuse)) {
    const auto leader = static_cast<size_t>(group.leader.index);
    if (places.free[leader]) {
      for (const BufferCopy& copy : places.copies[leader]) {
        result.steps.push_back(builder.copy(copy, "copy of " + g.value(copy.from.value).name));
        result.steps.back().nodes = group.nodes;
      }
    } else if (facts[leader].route == Route::kRuntimeCall) {
      result.steps.push_back(builder.runtime_call(group.leader));
    } else if (std::optional<Step> step = builder.subgraph(group)) {
      result.steps.push_back(std::move(*step));
    }
  }
  for (ValueId v : g.outputs) {
    if (g.value(v).producer.valid() || element_count(g.value(v).shape) == 0) continue;
    result.steps.push_back(builder.port_copy(v));
  }
  return result;
}

}  // namespace tlm::ir
