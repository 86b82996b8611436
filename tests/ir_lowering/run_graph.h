// Runs operators and graphs through lower_node and the interpreter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/lowering/lower_operator.h"

namespace tlm::ir::test {

// An input of a node under test. No tensor: absent.
struct In {
  std::optional<Tensor> value;
  bool constant = false;
};

Tensor tensor(DType t, Shape shape, const std::vector<double>& values);
Tensor sequence(DType t, Shape shape, double first = 0, double step = 1);  // first, first + step, …
Tensor random(Shape shape, uint64_t seed, double lo = -1, double hi = 1);  // f32
In f32(Shape shape, const std::vector<double>& values);
In i64(Shape shape, const std::vector<double>& values);
In constant(Tensor t);  // constant input
inline In input(Tensor t) { return {std::move(t), false}; }
inline In absent() { return {}; }

// A graph of one node, inferred, whose non-constant inputs are graph inputs.
struct OneNode {
  Graph graph;
  std::vector<Tensor> inputs;  // parallel to graph.inputs
};
OneNode one_node(OpKind op, const std::vector<In>& inputs, const Attributes& attrs = {}, int outputs = 1);

// All nodes of the graph as one subgraph. Returns false (with the operator's name) if one of them is a runtime call.
bool lower_graph(const Graph& g, SubgraphBuilder& b, std::string* runtime_call = nullptr);
// Verifies and interprets it; values of the graph's outputs.
std::vector<Tensor> run_lowered(const Graph& g, SubgraphBuilder& b, const std::vector<Tensor>& inputs);

// one_node, lowered and interpreted.
std::vector<Tensor> run(OpKind op, const std::vector<In>& inputs, const Attributes& attrs = {}, int outputs = 1);

// Fails the test unless type and shape agree and |actual - expected| <= atol + rtol·|expected| everywhere.
void expect_tensor(const Tensor& actual, const Tensor& expected, double rtol = 1e-5, double atol = 1e-6);
// The largest violation as text; empty if they agree.
std::string difference(const Tensor& actual, const Tensor& expected, double rtol, double atol);

// One row of a table: f32 unless tensors say otherwise.
struct Case {
  const char* name;
  OpKind op;
  std::vector<In> inputs;
  Attributes attrs;
  std::vector<Tensor> expected;
};
void check(const std::vector<Case>& cases);

}  // namespace tlm::ir::test
