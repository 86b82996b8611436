// Each invariant, broken once.
#include <gtest/gtest.h>

#include <functional>

#include "tlm/core/error.h"
#include "tlm/ir/graph/op_table.h"

namespace tlm::ir {
namespace {

Graph sound() {
  Graph g;
  Value v;
  v.name = "x";
  v.shape = {2, 3};
  g.inputs = {g.add_value(v)};
  const ValueId c = g.add_constant("c", Tensor(DType::kF32, {3}));
  const ValueId y = add_op(g, OpKind::kAdd, {g.inputs[0], c}, {}, "y")[0];
  g.outputs = {add_op(g, OpKind::kReduceSum, {y}, {{"axes", std::vector<int64_t>{1}}}, "z")[0]};
  return g;
}

struct Case {
  const char* rule;
  std::function<void(Graph&)> spoil;
};

TEST(GraphVerify, AcceptsASoundGraph) { verify(sound()); }

TEST(GraphVerify, NamesTheRuleThatIsBroken) {
  const Case cases[] = {
      {"a constant has no producer", [](Graph& g) { g.values[1].producer = {0}; }},
      {"a constant has the shape and dtype of its value", [](Graph& g) { g.values[1].shape = {4}; }},
      {"an order is a permutation of the dimensions",
       [](Graph& g) {
         g.values[0].order = {0, 0};
       }},
      {"a producer is a node", [](Graph& g) { g.values[0].producer = {17}; }},
      {"a value is one output of its producer", [](Graph& g) { g.values[0].producer = {0}; }},
      {"inputs are values", [](Graph& g) { g.nodes[0].inputs[0] = {99}; }},
      {"outputs are values", [](Graph& g) { g.nodes[0].outputs[0] = {99}; }},
      {"a node is the producer of its outputs", [](Graph& g) { g.values[2].producer = {}; }},
      {"graph inputs and outputs are values", [](Graph& g) { g.outputs.push_back({}); }},
      {"names of graph inputs and outputs are distinct", [](Graph& g) { g.outputs.push_back(g.outputs[0]); }},
      {"a graph input is neither produced nor constant", [](Graph& g) { g.inputs.push_back({2}); }},
      {"inputs are produced before they are read: 'x'", [](Graph& g) { g.inputs.clear(); }},
      {"shape rules accept the node: shapes [2,3] and [5]",
       [](Graph& g) {
         g.values[1].constant = Tensor(DType::kF32, {5});
         g.values[1].shape = {5};
       }},
      {"nodes are in canonical form", [](Graph& g) { g.nodes[1].attrs.erase("keepdims"); }},
      {"nodes are in canonical form", [](Graph& g) { g.nodes[1].inputs.emplace_back(); }},
      {"output 'z' has the inferred shape and dtype: f32[2,3] and f32[2,1]",
       [](Graph& g) {
         g.values[3].shape = {2, 3};
       }},
      {"output 'y' has the inferred shape and dtype: i64[2,3] and f32[2,3]", [](Graph& g) { g.values[2].dtype = DType::kI64; }},
      {"graph outputs are produced", [](Graph& g) { g.remove_node({1}); }},
  };
  for (const Case& c : cases) {
    Graph g = sound();
    c.spoil(g);
    try {
      verify(g);
      ADD_FAILURE() << "accepted: " << c.rule;
    } catch (const InternalError& e) {
      EXPECT_NE(std::string(e.what()).find(c.rule), std::string::npos) << "'" << c.rule << "' not in: " << e.what();
    }
  }
}

}  // namespace
}  // namespace tlm::ir
