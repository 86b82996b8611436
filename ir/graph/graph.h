// The model level: operators on named values. Vectors and typed ids, no pointers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/graph/op_kind.h"

namespace tlm::ir {

struct ValueId {
  int index = -1;  // -1: absent (an optional input that is not given)
  bool valid() const { return index >= 0; }
  auto operator<=>(const ValueId&) const = default;
};
struct NodeId {
  int index = -1;
  bool valid() const { return index >= 0; }
  auto operator<=>(const NodeId&) const = default;
};

using AttrValue = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>, std::vector<std::string>, Tensor>;
using Attributes = std::map<std::string, AttrValue>;  // ONNX names, in their newest form (the reader upgrades older ones)

struct Value {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;                     // static
  std::vector<int> order;          // physical order of the dimensions, outermost first; empty: row-major
  std::optional<Tensor> constant;  // row-major whatever `order`
  NodeId producer;                 // invalid: graph input or constant
};

struct Node {
  OpKind op = OpKind::kIdentity;
  std::string name;                // of the model, may be empty
  std::vector<ValueId> inputs;     // may hold invalid ids
  std::vector<ValueId> outputs;    // may hold invalid ids
  Attributes attrs;

  int64_t attr_int(const std::string& key, int64_t otherwise) const;
  double attr_float(const std::string& key, double otherwise) const;
  std::string attr_string(const std::string& key, const std::string& otherwise) const;
  std::vector<int64_t> attr_ints(const std::string& key, std::vector<int64_t> otherwise = {}) const;
  bool has_attr(const std::string& key) const;
};

class Graph {
 public:
  std::string name;
  std::map<std::string, std::string> metadata;

  ValueId add_value(Value v);
  ValueId add_constant(const std::string& name, Tensor t);
  NodeId add_node(Node n);                    // sets producer of its outputs
  void remove_node(NodeId n);                 // outputs lose their producer
  void replace_uses(ValueId from, ValueId to);  // in nodes; graph outputs keep their value
  std::vector<NodeId> readers(ValueId v) const;
  std::vector<NodeId> topological_order() const;  // stable; Error(kBadModel) on a cycle, naming a node
  bool is_output(ValueId v) const;
  void compact();                             // drops dead nodes and unused values, renumbers in topological order

  Value& value(ValueId v) { return values[static_cast<size_t>(v.index)]; }
  const Value& value(ValueId v) const { return values[static_cast<size_t>(v.index)]; }
  Node& node(NodeId n) { return nodes[static_cast<size_t>(n.index)]; }
  const Node& node(NodeId n) const { return nodes[static_cast<size_t>(n.index)]; }

  std::vector<Value> values;
  std::vector<Node> nodes;                    // removed ones have op kRemoved
  std::vector<ValueId> inputs, outputs;
};

// Strides in elements of a value's dense buffer in its physical order.
std::vector<int64_t> physical_strides(const Shape& shape, const std::vector<int>& order);

std::string print(const Graph& g);            // graph_text.cpp; constants by shape and hash
void verify(const Graph& g);                  // graph_verify.cpp; InternalError with node and rule

}  // namespace tlm::ir
