#include "tlm/ir/graph/fold_node.h"

#include <gtest/gtest.h>

#include "node_case.h"

namespace tlm::ir {
namespace {

// The values of the folded node's outputs.
std::vector<std::vector<double>> fold(OpKind op, const std::string& inputs, const std::string& attrs = "", int outputs = 1) {
  Graph g = test::node_graph(op, inputs, attrs, outputs);
  EXPECT_TRUE(fold_node(g, {static_cast<int>(g.nodes.size()) - 1}));
  EXPECT_EQ(g.nodes.back().op, OpKind::kRemoved);
  verify(g);
  std::vector<std::vector<double>> all;
  for (ValueId v : g.outputs) {
    const Tensor& t = g.value(v).constant.value();
    all.emplace_back();
    for (int64_t i = 0; i < t.size(); ++i) all.back().push_back(t.at_f64(i));
  }
  return all;
}

using V = std::vector<double>;

TEST(FoldNode, Arithmetic) {
  EXPECT_EQ(fold(OpKind::kAdd, "i64{1,2,3} i64:10")[0], (V{11, 12, 13}));
  EXPECT_EQ(fold(OpKind::kDiv, "i64{7,-7} i64:2")[0], (V{3, -3}));
  EXPECT_EQ(fold(OpKind::kEqual, "i64{1,2} i64{1,3}")[0], (V{1, 0}));
  EXPECT_EQ(fold(OpKind::kCast, "f32{1.9,-1.9}", "to=7")[0], (V{1, -1}));
}

TEST(FoldNode, ShapeArithmetic) {
  EXPECT_EQ(fold(OpKind::kGather, "i64{5,6,7} i64{2,0}")[0], (V{7, 5}));
  EXPECT_EQ(fold(OpKind::kConcat, "i64{1} i64{2,3}", "axis=0")[0], (V{1, 2, 3}));
  EXPECT_EQ(fold(OpKind::kSlice, "i64{1,2,3,4} i64{-1} i64{-5} i64{0} i64{-2}")[0], (V{4, 2}));
  EXPECT_EQ(fold(OpKind::kReduceProd, "i64{2,3,4}", "keepdims=0")[0], (V{24}));
}

TEST(FoldNode, ValuesThatNeedNoInput) {
  EXPECT_EQ(fold(OpKind::kConstantOfShape, "", "shape=[2] value=i64{7}")[0], (V{7, 7}));
  EXPECT_EQ(fold(OpKind::kRange, "i64:3 i64:-1 i64:-2")[0], (V{3, 1}));
  EXPECT_EQ(fold(OpKind::kEyeLike, "f32[2,2]", "k=1 dtype=7")[0], (V{0, 1, 0, 0}));
}

TEST(FoldNode, EmptyResults) {
  EXPECT_EQ(fold(OpKind::kSlice, "i64{1,2,3} i64{2} i64{1}")[0], V{});
  EXPECT_EQ(fold(OpKind::kRange, "i64:3 i64:3 i64:1")[0], V{});
}

TEST(FoldNode, ViewsShareStorage) {
  Graph g = test::node_graph(OpKind::kReshape, "i64{1,2,3,4}", "shape=[2,2]");
  const std::byte* before = g.values[0].constant->data();
  ASSERT_TRUE(fold_node(g, {0}));
  EXPECT_EQ(g.value(g.outputs[0]).constant->data(), before);
  EXPECT_EQ(g.value(g.outputs[0]).constant->shape(), (Shape{2, 2}));
}

TEST(FoldNode, LeavesWhatItCannotCompute) {
  Graph variable = test::node_graph(OpKind::kAdd, "i64[3] i64:1");
  EXPECT_FALSE(fold_node(variable, {0}));
  Graph call = test::node_graph(OpKind::kTopK, "f32{1,2,3}", "k=2", 2);
  EXPECT_FALSE(fold_node(call, {0}));
  Graph expensive = test::node_graph(OpKind::kAdd, "i64{1,2,3} i64:1");
  EXPECT_FALSE(fold_node(expensive, {0}, 2.0));
  for (const Graph* g : {&variable, &call, &expensive}) {
    EXPECT_NE(g->nodes[0].op, OpKind::kRemoved);
    verify(*g);
  }
}

}  // namespace
}  // namespace tlm::ir
