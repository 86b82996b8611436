// The stages themselves: what the schedule space relies on.
#include <gtest/gtest.h>

#include "run_graph.h"

namespace tlm::ir::test {
namespace {

using Ints = std::vector<int64_t>;

Subgraph lowered(OpKind op, const std::vector<In>& inputs, const Attributes& attrs = {}, int outputs = 1) {
  OneNode n = one_node(op, inputs, attrs, outputs);
  SubgraphBuilder b(n.graph);
  EXPECT_TRUE(lower_graph(n.graph, b));
  verify(b.subgraph);
  return b.subgraph;
}

// Every load index of the stage's body is affine in its axes.
bool affine(const Stage& s) {
  bool all = true;
  for (const Expr& e : s.body) {
    visit(e, [&](const Expr& n) {
      if (n->op != Op::kLoad) return;
      for (const Expr& i : n->args) all = all && as_affine(i, static_cast<int>(s.axes.size())).has_value();
    });
  }
  return all;
}

TEST(Structure, PaddingIsAStageOnlyWhereNeeded) {
  In x = input(random({1, 3, 8, 8}, 1)), w = constant(random({4, 3, 3, 3}, 2));
  EXPECT_EQ(lowered(OpKind::kConv, {x, w}).stages.size(), 1u);
  Subgraph g = lowered(OpKind::kConv, {x, w}, {{"pads", Ints{1, 1, 1, 1}}});
  ASSERT_EQ(g.stages.size(), 2u);
  EXPECT_FALSE(g.stages[0].has_reduction());
  EXPECT_TRUE(affine(g.stages[1]));
  // Rows that no window reads are not padded: (8 - 2) / 2 windows of 2 never reach the last pad.
  EXPECT_EQ(lowered(OpKind::kMaxPool, {x}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{0, 0, 0, 0}}})
                .stages.size(),
            1u);
}

TEST(Structure, ConvolutionsAreAffine) {
  In x = input(random({2, 4, 6, 6}, 1));
  struct Row {
    Ints weights;
    int64_t group;
    size_t stages, axes;  // axes of the sum; extent-1 axes are left out
  };
  for (const Row& r :
       {Row{{6, 4, 3, 3}, 1, 1, 7}, Row{{6, 2, 3, 3}, 2, 2, 8}, Row{{4, 1, 3, 3}, 4, 1, 6}, Row{{8, 1, 1, 1}, 4, 2, 5}}) {
    Subgraph g = lowered(OpKind::kConv, {x, constant(random(r.weights, 2))}, {{"group", r.group}});
    ASSERT_EQ(g.stages.size(), r.stages);
    EXPECT_TRUE(affine(g.stages[0]));
    EXPECT_EQ(g.stages[0].axes.size(), r.axes);
    EXPECT_EQ(g.stages[0].axes.back().kind, r.weights[2] > 1 || r.weights[1] > 1 ? AxisKind::kReduce : AxisKind::kSpatial);
  }
  Subgraph t = lowered(OpKind::kConvTranspose, {x, constant(random({4, 2, 3, 3}, 2))}, {{"strides", Ints{2, 2}}});
  ASSERT_EQ(t.stages.size(), 2u);
  EXPECT_TRUE(affine(t.stages[1]));
}

TEST(Structure, BiasIsAddedToTheSum) {
  Subgraph g =
      lowered(OpKind::kConv, {input(random({1, 3, 4, 4}, 1)), constant(random({4, 3, 1, 1}, 2)), constant(random({4}, 3))});
  ASSERT_EQ(g.stages.size(), 1u);
  EXPECT_EQ(g.stages[0].result[0]->op, Op::kAdd);
}

TEST(Structure, ScalarsAreLiterals) {
  Subgraph g = lowered(OpKind::kMul, {input(random({4}, 1)), constant(tensor(DType::kF32, {1}, {2.5}))});
  EXPECT_EQ(g.tensors.size(), 2u);
}

TEST(Structure, RolesOfTensors) {
  Subgraph g = lowered(OpKind::kSoftmax, {input(random({4, 8}, 1))});
  int inputs = 0, outputs = 0, internals = 0;
  for (const TensorDecl& t : g.tensors) {
    inputs += t.role == TensorRole::kInput;
    outputs += t.role == TensorRole::kOutput;
    internals += t.role == TensorRole::kInternal;
  }
  EXPECT_EQ(inputs, 1);
  EXPECT_EQ(outputs, 1);
  EXPECT_EQ(internals, 3);
}

TEST(Structure, OneStageForEachInputOfConcat) {
  Subgraph g = lowered(OpKind::kConcat, {input(random({2, 3}, 1)), input(random({2, 1}, 2))}, {{"axis", int64_t{1}}});
  ASSERT_EQ(g.stages.size(), 2u);
  EXPECT_EQ(g.stages[0].outputs[0].tensor, g.stages[1].outputs[0].tensor);
}

TEST(Structure, ReshapeKeepsUntouchedDimensions) {
  Subgraph g = lowered(OpKind::kReshape, {input(random({2, 6, 5, 5}, 1)), constant(Tensor::vector_i64(Ints{2, 2, 3, 5, 5}))});
  ASSERT_EQ(g.stages.size(), 1u);
  EXPECT_TRUE(affine(g.stages[0]));
}

TEST(Structure, EveryOperatorHasARoute) {
  int calls = 0;
  for (int op = 0; op < static_cast<int>(OpKind::kRemoved); ++op) {
    auto kind = static_cast<OpKind>(op);
    if (route(kind) == Route::kRuntimeCall) {
      ++calls;
      EXPECT_EQ(runtime_call_name(kind), op_kind_name(kind));
    }
  }
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(route(OpKind::kReshape), Route::kView);
  EXPECT_EQ(route(OpKind::kConv), Route::kStages);
}

}  // namespace
}  // namespace tlm::ir::test
