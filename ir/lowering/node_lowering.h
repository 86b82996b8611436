// What the operator families share: reading a node's inputs and attributes, and refusing what is not supported.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/ir/lowering/lower_operator.h"

namespace tlm::ir {

using Indices = std::vector<Expr>;  // one for each dimension

// The type in which values of type `t` are computed: f16 and bf16 in f32, others in their own.
DType compute_type(DType t);

// Something that can be read at an index: an input of the node, an internal tensor, or a literal.
struct Operand {
  Shape shape;
  DType dtype = DType::kF32;  // of `at`
  std::function<Expr(const Indices&)> at;
  int rank() const { return static_cast<int>(shape.size()); }
};

class NodeLowering {
 public:
  NodeLowering(const Node& n, SubgraphBuilder& builder) : node(n), b(builder) {}

  const Node& node;
  SubgraphBuilder& b;

  int input_count() const { return static_cast<int>(node.inputs.size()); }
  bool has_input(int i) const { return i < input_count() && node.inputs[static_cast<size_t>(i)].valid(); }
  bool has_output(int j) const {
    return j < static_cast<int>(node.outputs.size()) && node.outputs[static_cast<size_t>(j)].valid();
  }
  const Value& in(int i) const;  // Error(kBadModel) if absent
  const Value& out(int j = 0) const;
  int out_tensor(int j = 0) const { return b.tensor(node.outputs[static_cast<size_t>(j)]); }

  Operand operand(int i) const;              // input i in its compute type
  Operand stored(int i) const;               // input i in its own type
  Operand tensor_operand(int tensor) const;  // a tensor of the subgraph, in its compute type
  // A new internal tensor. `order`: its default physical order, outermost first (empty: row-major) — that of the value it stands
  // beside, so that padding does not undo a layout.
  int internal(const std::string& suffix, DType t, Shape shape, const std::vector<int>& order = {}) const;

  // Constant input i: nullptr when absent or not constant.
  const Tensor* constant(int i) const;
  // Error(kUnsupported) when input i (called `what`) is not constant.
  const Tensor& require_constant(int i, const std::string& what) const;
  int64_t integer(const std::string& attr) const {
    return node.attr_int(attr, 0);
  }  // attributes of the canonical form are present
  std::vector<int64_t> ints(const std::string& attr) const { return node.attr_ints(attr); }
  std::vector<double> floats(const std::string& attr) const;  // empty if absent
  // Axis in [0, rank). Error(kBadModel) outside [-rank, rank).
  int axis(int64_t value, int rank) const;

  // Name of a stage or internal tensor: the node's name (or its first output's) and a suffix.
  std::string name(const std::string& suffix = {}) const;
  std::string where() const;  // "node 'x' (Conv)"
  [[noreturn]] void unsupported(const std::string& what) const;
  [[noreturn]] void unsupported_attr(const std::string& attr, const std::string& value) const;
  [[noreturn]] void bad_model(const std::string& what) const;
};

}  // namespace tlm::ir
