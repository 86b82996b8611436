// Operators become stages. One table: operator → function that writes its stages.
#pragma once

#include <string>
#include <vector>

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {

// Collects the stages of one subgraph. Tensors stand for values of the graph (bound) or are internal.
class SubgraphBuilder {
 public:
  explicit SubgraphBuilder(const Graph& g) : graph_(g) {}
  const Graph& graph() const { return graph_; }

  // The tensor of a value (created on first use, with the strides of the value's physical order; a constant value becomes
  // kConstant; others are kInput until a stage writes them).
  int tensor(ValueId v);
  int internal(const std::string& name, DType t, Shape shape);
  // A constant that the lowering makes up (index tables, interpolation weights).
  int constant(const std::string& name, Tensor data);
  int add_stage(Stage s);
  // A scalar (single-element) constant value becomes a literal; else a load with `indices`.
  Expr read(ValueId v, std::vector<Expr> indices);

  Subgraph subgraph;
  std::vector<ValueId> binding;                // by tensor; invalid: internal or made up
  std::vector<std::optional<Tensor>> made_up;  // by tensor

 private:
  const Graph& graph_;
};

// How a node is carried out.
enum class Route : uint8_t {
  kStages,       // lower_node writes them
  kView,         // the output is the input's bytes (row-major): Reshape, Squeeze, Identity …
  kRuntimeCall,  // core/runtime/runtime_calls.h
  kFoldOnly,     // must be constant: its output shape or value cannot depend on data (Shape, Range, …)
};
Route route(OpKind op);
std::string runtime_call_name(OpKind op);  // "TopK"

// Appends the node's stages. Throws Error(kUnsupported) naming node, operator and the attribute or value that is not supported.
void lower_node(const Node& node, SubgraphBuilder& b);

}  // namespace tlm::ir
