#include "tlm/ir/graph/graph.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "tlm/core/error.h"

namespace tlm::ir {

namespace {

// The attribute `key` as a T, or null if it is absent; another type is a fault of the model.
template <typename T>
const T* find_attr(const Node& n, const std::string& key) {
  const auto it = n.attrs.find(key);
  if (it == n.attrs.end()) return nullptr;
  const T* v = std::get_if<T>(&it->second);
  if (!v) {
    throw Error(ErrorCode::kBadModel, "attribute '" + key + "' has the wrong type",
                "node '" + n.name + "', operator " + std::string(op_kind_name(n.op)));
  }
  return v;
}

}  // namespace

int64_t Node::attr_int(const std::string& key, int64_t otherwise) const {
  const auto* v = find_attr<int64_t>(*this, key);
  return v ? *v : otherwise;
}

double Node::attr_float(const std::string& key, double otherwise) const {
  const auto* v = find_attr<double>(*this, key);
  return v ? *v : otherwise;
}

std::string Node::attr_string(const std::string& key, const std::string& otherwise) const {
  const auto* v = find_attr<std::string>(*this, key);
  return v ? *v : otherwise;
}

std::vector<int64_t> Node::attr_ints(const std::string& key, std::vector<int64_t> otherwise) const {
  const auto* v = find_attr<std::vector<int64_t>>(*this, key);
  return v ? *v : otherwise;
}

bool Node::has_attr(const std::string& key) const { return attrs.count(key) != 0; }

ValueId Graph::add_value(Value v) {
  values.push_back(std::move(v));
  return {static_cast<int>(values.size()) - 1};
}

ValueId Graph::add_constant(const std::string& constant_name, Tensor t) {
  Value v;
  v.name = constant_name;
  v.dtype = t.dtype();
  v.shape = t.shape();
  v.constant = std::move(t);
  return add_value(std::move(v));
}

NodeId Graph::add_node(Node n) {
  const NodeId id{static_cast<int>(nodes.size())};
  for (ValueId out : n.outputs) {
    if (!out.valid()) continue;
    TLM_CHECK(!value(out).producer.valid()) << "value '" << value(out).name << "' has two producers";
    value(out).producer = id;
  }
  nodes.push_back(std::move(n));
  return id;
}

void Graph::remove_node(NodeId n) {
  Node& dead = node(n);
  for (ValueId out : dead.outputs)
    if (out.valid() && value(out).producer == n) value(out).producer = {};
  dead = Node{};
  dead.op = OpKind::kRemoved;
}

void Graph::replace_uses(ValueId from, ValueId to) {
  for (Node& n : nodes)
    for (ValueId& in : n.inputs)
      if (in == from) in = to;
}

std::vector<NodeId> Graph::readers(ValueId v) const {
  std::vector<NodeId> result;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (std::find(nodes[i].inputs.begin(), nodes[i].inputs.end(), v) != nodes[i].inputs.end())
      result.push_back({static_cast<int>(i)});
  return result;
}

// Kahn's algorithm; of the nodes that are ready, the one with the smallest number goes first.
std::vector<NodeId> Graph::topological_order() const {
  std::vector<int> missing(nodes.size(), 0);
  std::vector<std::vector<int>> followers(nodes.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  size_t alive = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].op == OpKind::kRemoved) continue;
    ++alive;
    for (ValueId in : nodes[i].inputs) {
      if (!in.valid() || !value(in).producer.valid()) continue;
      followers[static_cast<size_t>(value(in).producer.index)].push_back(static_cast<int>(i));
      ++missing[i];
    }
    if (missing[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<NodeId> order;
  order.reserve(alive);
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    order.push_back({i});
    for (int f : followers[static_cast<size_t>(i)])
      if (--missing[static_cast<size_t>(f)] == 0) ready.push(f);
  }
  if (order.size() == alive) return order;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (missing[i] == 0) continue;
    throw Error(ErrorCode::kBadModel, "the graph has a cycle",
                "node '" + nodes[i].name + "', operator " + std::string(op_kind_name(nodes[i].op)));
  }
  TLM_CHECK(false) << "no node of the cycle found";
  return order;
}

bool Graph::is_output(ValueId v) const { return std::find(outputs.begin(), outputs.end(), v) != outputs.end(); }

void Graph::compact() {
  const std::vector<NodeId> order = topological_order();
  std::vector<char> live(nodes.size(), 0), used(values.size(), 0);
  for (ValueId v : inputs) used[static_cast<size_t>(v.index)] = 1;
  for (ValueId v : outputs) used[static_cast<size_t>(v.index)] = 1;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& n = node(*it);
    const bool wanted = std::any_of(n.outputs.begin(), n.outputs.end(),
                                    [&](ValueId v) { return v.valid() && used[static_cast<size_t>(v.index)]; });
    if (!wanted) continue;
    live[static_cast<size_t>(it->index)] = 1;
    for (ValueId v : n.inputs)
      if (v.valid()) used[static_cast<size_t>(v.index)] = 1;
  }
  // An output that nobody reads stays only with a node that is kept: others may hold its place by an invalid id.
  std::vector<Node> kept_nodes;
  std::vector<Value> kept_values;
  std::vector<int> new_value(values.size(), -1), new_node(nodes.size(), -1);
  for (NodeId id : order) {
    if (!live[static_cast<size_t>(id.index)]) continue;
    new_node[static_cast<size_t>(id.index)] = static_cast<int>(kept_nodes.size());
    kept_nodes.push_back(std::move(node(id)));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!used[i]) continue;
    new_value[i] = static_cast<int>(kept_values.size());
    Value v = std::move(values[i]);
    v.producer.index = v.producer.valid() ? new_node[static_cast<size_t>(v.producer.index)] : -1;
    kept_values.push_back(std::move(v));
  }
  const auto renumber = [&](std::vector<ValueId>& ids) {
    for (ValueId& v : ids)
      if (v.valid()) v.index = new_value[static_cast<size_t>(v.index)];
  };
  for (Node& n : kept_nodes) {
    renumber(n.inputs);
    renumber(n.outputs);
    while (!n.outputs.empty() && !n.outputs.back().valid()) n.outputs.pop_back();
  }
  renumber(inputs);
  renumber(outputs);
  nodes = std::move(kept_nodes);
  values = std::move(kept_values);
}

std::vector<int64_t> physical_strides(const Shape& shape, const std::vector<int>& order) {
  if (order.empty()) return row_major_strides(shape);
  TLM_CHECK(order.size() == shape.size()) << "order of " << order.size() << " dimensions for shape " << to_string(shape);
  std::vector<int64_t> strides(shape.size(), 0);
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

}  // namespace tlm::ir
