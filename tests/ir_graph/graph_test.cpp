#include "tlm/ir/graph/graph.h"

#include <gtest/gtest.h>

#include "tlm/core/error.h"
#include "tlm/ir/graph/op_table.h"

namespace tlm::ir {
namespace {

ValueId add_input(Graph& g, const std::string& name, Shape shape) {
  Value v;
  v.name = name;
  v.shape = std::move(shape);
  const ValueId id = g.add_value(std::move(v));
  g.inputs.push_back(id);
  return id;
}

struct Diamond {
  Graph g;
  ValueId x, a, b, sum;
  Diamond() {
    x = add_input(g, "x", {2, 3});
    a = add_op(g, OpKind::kRelu, {x}, {}, "a")[0];
    b = add_op(g, OpKind::kNeg, {x}, {}, "b")[0];
    sum = add_op(g, OpKind::kAdd, {a, b}, {}, "sum")[0];
    g.outputs = {sum};
  }
};

TEST(Graph, ReadersProducersOutputs) {
  Diamond d;
  EXPECT_EQ(d.g.readers(d.x).size(), 2u);
  EXPECT_EQ(d.g.readers(d.sum).size(), 0u);
  EXPECT_EQ(d.g.value(d.sum).producer.index, 2);
  EXPECT_TRUE(d.g.is_output(d.sum));
  EXPECT_FALSE(d.g.is_output(d.a));
}

TEST(Graph, ReplaceUsesKeepsGraphOutputs) {
  Diamond d;
  d.g.replace_uses(d.a, d.x);
  EXPECT_EQ(d.g.node({2}).inputs[0], d.x);
  d.g.replace_uses(d.sum, d.x);
  EXPECT_EQ(d.g.outputs[0], d.sum);
}

TEST(Graph, TopologicalOrderIsStableAndFollowsEdges) {
  Diamond d;
  // A node added last that an earlier one reads: it must come first, all others keep their order.
  const ValueId late = add_op(d.g, OpKind::kAbs, {d.x}, {}, "late")[0];
  d.g.node({0}).inputs[0] = late;
  std::vector<int> order;
  for (NodeId id : d.g.topological_order()) order.push_back(id.index);
  EXPECT_EQ(order, (std::vector<int>{1, 3, 0, 2}));
}

TEST(Graph, CycleIsABadModel) {
  Diamond d;
  d.g.node({0}).inputs[0] = d.sum;
  try {
    d.g.topological_order();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadModel);
    EXPECT_NE(std::string(e.what()).find("node 'a', operator Relu"), std::string::npos) << e.what();
  }
}

TEST(Graph, TwoProducersAreABug) {
  Diamond d;
  Node n;
  n.op = OpKind::kRelu;
  n.inputs = {d.x};
  n.outputs = {d.sum};
  EXPECT_THROW(d.g.add_node(n), InternalError);
}

TEST(Graph, CompactDropsTheDeadAndRenumbers) {
  Diamond d;
  const ValueId dead = add_op(d.g, OpKind::kExp, {d.x}, {}, "dead")[0];
  add_op(d.g, OpKind::kLog, {dead}, {}, "deader");
  d.g.add_constant("unused", Tensor::scalar_f32(1));
  d.g.replace_uses(d.a, d.x);
  d.g.remove_node(d.g.value(d.a).producer);
  add_input(d.g, "never read", {1});
  d.g.compact();
  EXPECT_EQ(d.g.nodes.size(), 2u);
  EXPECT_EQ(d.g.inputs.size(), 2u);  // inputs stay, read or not
  EXPECT_EQ(print(d.g),
            "graph \"\"\n"
            "  input  %x: f32[2,3]\n"
            "  input  %never read: f32[1]\n"
            "  %b: f32[2,3] = Neg(%x) \"b\"\n"
            "  %sum: f32[2,3] = Add(%x, %b) \"sum\"\n"
            "  output %sum\n");
  verify(d.g);
}

TEST(Graph, CompactKeepsTheOtherOutputOfANode) {
  Graph g;
  const ValueId x = add_input(g, "x", {4});
  const auto top = add_op(g, OpKind::kTopK, {x}, {{"k", int64_t{2}}}, "top", 2);
  g.outputs = {top[1]};
  g.compact();
  ASSERT_EQ(g.nodes.size(), 1u);
  ASSERT_EQ(g.nodes[0].outputs.size(), 2u);
  EXPECT_FALSE(g.nodes[0].outputs[0].valid());
  EXPECT_EQ(g.nodes[0].outputs[1], g.outputs[0]);
  verify(g);
}

TEST(Graph, CompactCutsOutputsThatNobodyReads) {
  Graph g;
  const ValueId x = add_input(g, "x", {4});
  g.outputs = {add_op(g, OpKind::kDynamicQuantizeLinear, {x}, {}, "q", 3)[0]};
  g.compact();
  EXPECT_EQ(g.nodes.at(0).outputs.size(), 1u);
  verify(g);
}

TEST(Graph, PrintShowsOrderConstantsAndAbsentInputs) {
  Graph g;
  g.name = "a \"name\"\n";
  const ValueId x = add_input(g, "x", {1, 2, 3, 3});
  const float one = 1;
  const ValueId limit = g.add_constant("limit", Tensor::from<float>(DType::kF32, {}, {&one, 1}));
  const ValueId y = add_op(g, OpKind::kClip, {x, {}, limit}, {}, "clip")[0];
  g.value(y).order = {0, 2, 3, 1};
  g.outputs = {y};
  const std::string text = print(g);
  EXPECT_NE(text.find("graph \"a \\x22name\\x22\\x0a\""), std::string::npos) << text;
  EXPECT_NE(text.find("  const  %limit: f32[] #"), std::string::npos) << text;
  EXPECT_NE(text.find("  %clip: f32[1,2,3,3]@[0,2,3,1] = Clip(%x, _, %limit) \"clip\""), std::string::npos) << text;
  EXPECT_EQ(text, print(g));
}

TEST(Graph, PhysicalStrides) {
  EXPECT_EQ(physical_strides({2, 3, 4, 5}, {}), (std::vector<int64_t>{60, 20, 5, 1}));
  EXPECT_EQ(physical_strides({2, 3, 4, 5}, {0, 2, 3, 1}), (std::vector<int64_t>{60, 1, 15, 3}));
  EXPECT_THROW(physical_strides({2, 3}, {0}), InternalError);
}

TEST(Graph, AttributesOfAnotherTypeAreABadModel) {
  Node n;
  n.op = OpKind::kConcat;
  n.attrs["axis"] = std::string("one");
  EXPECT_EQ(n.attr_int("other", 7), 7);
  EXPECT_THROW(n.attr_int("axis", 0), Error);
}

}  // namespace
}  // namespace tlm::ir
