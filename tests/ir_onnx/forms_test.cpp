// Older forms of operators mean what they meant, in the newest form.
#include <gtest/gtest.h>

#include "wire.h"

namespace tlm::ir::test {
namespace {

Message x(const std::vector<std::string>& dims) { return value("x", kFloat, dims); }

const Node& only(const Graph& g) {
  EXPECT_EQ(g.nodes.size(), 1u) << print(g);
  return g.nodes.back();
}

double scalar(const Graph& g, ValueId v) { return g.value(v).constant.value().at_f64(0); }

using Ints = std::vector<int64_t>;

TEST(Forms, AxesAsAttributeAndAsInput) {
  for (const char* op : {"Squeeze", "Unsqueeze"}) {
    const Graph old = read(one_node(11, op, {x({"1", "3"})}, {}, {"x"}, {attr_ints("axes", {0})}));
    const Graph now = read(one_node(13, op, {x({"1", "3"})}, {ints("axes", {1}, {0})}, {"x", "axes"}));
    EXPECT_EQ(print(old), print(now));
    EXPECT_EQ(only(now).inputs.size(), 1u);
    EXPECT_EQ(only(now).attr_ints("axes"), Ints{0});
  }
  const Graph old =
      read(one_node(11, "ReduceSum", {x({"2", "3"})}, {}, {"x"}, {attr_ints("axes", {-1}), attr_int("keepdims", 0)}));
  const Graph now =
      read(one_node(13, "ReduceSum", {x({"2", "3"})}, {ints("axes", {1}, {1})}, {"x", "axes"}, {attr_int("keepdims", 0)}));
  EXPECT_EQ(print(old), print(now));
  EXPECT_EQ(print(read(one_node(18, "ReduceMax", {x({"2", "3"})}, {ints("axes", {1}, {1})}, {"x", "axes"}))),
            print(read(one_node(13, "ReduceMax", {x({"2", "3"})}, {}, {"x"}, {attr_ints("axes", {1})}))));
}

TEST(Forms, Clip) {
  const Graph old = read(one_node(6 + 1, "Clip", {x({"2"})}, {}, {"x"}, {attr_float("max", 6)}));
  ASSERT_EQ(only(old).inputs.size(), 3u);
  EXPECT_FALSE(only(old).inputs[1].valid());
  EXPECT_EQ(scalar(old, only(old).inputs[2]), 6);
  EXPECT_EQ(only(read(one_node(10, "Clip", {x({"2"})}, {}, {"x"}))).inputs.size(), 1u);
  const Graph now = read(one_node(13, "Clip", {x({"2"})}, {floats("lo", {}, {-1})}, {"x", "lo", ""}));
  ASSERT_EQ(only(now).inputs.size(), 2u);
  EXPECT_EQ(scalar(now, only(now).inputs[1]), -1);
}

TEST(Forms, Pad) {
  const Graph old =
      read(one_node(10, "Pad", {x({"2", "3"})}, {}, {"x"}, {attr_ints("pads", {0, 1, 0, 2}), attr_float("value", 1.5f)}));
  const Graph now =
      read(one_node(13, "Pad", {x({"2", "3"})}, {ints("p", {4}, {0, 1, 0, 2}), floats("v", {}, {1.5f})}, {"x", "p", "v"}));
  for (const Graph* g : {&old, &now}) {
    EXPECT_EQ(only(*g).attr_ints("pads"), (Ints{0, 1, 0, 2}));
    ASSERT_EQ(only(*g).inputs.size(), 2u);
    EXPECT_EQ(scalar(*g, only(*g).inputs[1]), 1.5);
    EXPECT_EQ(g->value(g->outputs[0]).shape, (Shape{2, 6}));
  }
}

TEST(Forms, SliceSplitTopK) {
  const Graph slice = read(one_node(9, "Slice", {x({"5", "6"})}, {}, {"x"},
                                    {attr_ints("axes", {1}), attr_ints("starts", {-2}), attr_ints("ends", {100})}));
  EXPECT_EQ(only(slice).attr_ints("starts"), (Ints{0, 4}));
  EXPECT_EQ(only(slice).attr_ints("extents"), (Ints{5, 2}));
  const Graph split = read(one_node(11, "Split", {x({"5"})}, {}, {"x"}, {attr_ints("split", {2, 3})}, 2));
  EXPECT_EQ(only(split).attr_ints("split"), (Ints{2, 3}));
  EXPECT_EQ(print(split), print(read(one_node(13, "Split", {x({"5"})}, {ints("s", {2}, {2, 3})}, {"x", "s"}, {}, 2))));
  const Graph top = read(one_node(9, "TopK", {x({"5"})}, {}, {"x"}, {attr_int("k", 2)}, 2));
  EXPECT_EQ(print(top), print(read(one_node(11, "TopK", {x({"5"})}, {ints("k", {1}, {2})}, {"x", "k"}, {}, 2))));
}

TEST(Forms, UpsampleAndFirstResize) {
  const Graph seven = read(one_node(7, "Upsample", {x({"1", "1", "2", "2"})}, {}, {"x"}, {attr_floats("scales", {1, 1, 2, 3})}));
  const Graph nine = read(one_node(9, "Upsample", {x({"1", "1", "2", "2"})}, {floats("s", {4}, {1, 1, 2, 3})}, {"x", "s"}));
  const Graph ten = read(one_node(10, "Resize", {x({"1", "1", "2", "2"})}, {floats("s", {4}, {1, 1, 2, 3})}, {"x", "s"}));
  EXPECT_EQ(print(seven), print(nine));
  EXPECT_EQ(print(nine), print(ten));
  EXPECT_EQ(only(ten).op, OpKind::kResize);
  EXPECT_EQ(only(ten).attr_string("coordinate_transformation_mode", ""), "asymmetric");
  EXPECT_EQ(only(ten).attr_string("nearest_mode", ""), "floor");
  EXPECT_EQ(ten.value(ten.outputs[0]).shape, (Shape{1, 1, 4, 6}));
  const Graph now = read(one_node(13, "Resize", {x({"1", "1", "2", "2"})}, {floats("s", {4}, {1, 1, 2, 3})}, {"x", "", "s"}));
  EXPECT_EQ(only(now).attr_string("coordinate_transformation_mode", ""), "half_pixel");
}

// Before opset 13: over all dimensions from the axis on, which defaults to 1.
TEST(Forms, SoftmaxThatFlattens) {
  for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    const Graph old = read(one_node(11, op, {x({"2", "3", "4"})}, {}, {"x"}));
    ASSERT_EQ(old.nodes.size(), 3u) << print(old);
    EXPECT_EQ(old.nodes[0].attr_ints("shape"), (Ints{2, 12}));
    EXPECT_EQ(op_kind_name(old.nodes[1].op), op);
    EXPECT_EQ(old.nodes[1].attr_int("axis", -7), 1);
    EXPECT_EQ(old.nodes[2].attr_ints("shape"), (Ints{2, 3, 4}));
    EXPECT_EQ(old.nodes[2].name, "n");
    EXPECT_EQ(only(read(one_node(11, op, {x({"2", "3"})}, {}, {"x"}))).attr_int("axis", -7), 1);
    EXPECT_EQ(only(read(one_node(11, op, {x({"2", "3", "4"})}, {}, {"x"}, {attr_int("axis", -1)}))).attr_int("axis", -7), 2);
    EXPECT_EQ(only(read(one_node(13, op, {x({"2", "3", "4"})}, {}, {"x"}))).attr_int("axis", -7), 2);
    EXPECT_EQ(only(read(one_node(13, op, {x({"2", "3", "4"})}, {}, {"x"}, {attr_int("axis", 1)}))).attr_int("axis", -7), 1);
  }
}

TEST(Forms, DropoutIsTheIdentity) {
  const Graph old = read(one_node(7, "Dropout", {x({"2"})}, {}, {"x"}, {attr_float("ratio", 0.4f)}));
  EXPECT_EQ(only(old).op, OpKind::kIdentity);
  EXPECT_TRUE(only(old).attrs.empty());
  const Graph mask = read(one_node(12, "Dropout", {x({"2"})}, {floats("r", {}, {0.4f})}, {"x", "r"}, {}, 2));
  EXPECT_EQ(only(mask).op, OpKind::kIdentity);
  EXPECT_EQ(mask.value(mask.outputs[1]).dtype, DType::kBool);
  EXPECT_EQ(mask.value(mask.outputs[1]).constant->to_i64(), (Ints{1, 1}));
  const Graph old_mask = read(one_node(9, "Dropout", {x({"2"})}, {}, {"x"}, {}, 2));
  EXPECT_EQ(old_mask.value(old_mask.outputs[1]).dtype, DType::kF32);
  const ModelParts training =
      one_node(13, "Dropout", {x({"2"})}, {floats("r", {}, {0.4f}), bools("t", {}, {1})}, {"x", "r", "t"});
  EXPECT_NE(read_error(training).find("4: node 'n', operator Dropout, opset 13: training"), std::string::npos)
      << read_error(training);
  const Graph idle = read(one_node(13, "Dropout", {x({"2"})}, {floats("r", {}, {0}), bools("t", {}, {1})}, {"x", "r", "t"}));
  EXPECT_EQ(only(idle).op, OpKind::kIdentity);
}

TEST(Forms, BatchNormalization) {
  std::vector<Message> weights;
  for (const char* name : {"a", "b", "c", "d"}) weights.push_back(floats(name, {2}, {1, 2}));
  const std::vector<std::string> names = {"x", "a", "b", "c", "d"};
  const Graph old = read(one_node(7, "BatchNormalization", {x({"1", "2", "3"})}, weights, names, {attr_int("spatial", 1)}));
  EXPECT_FALSE(only(old).has_attr("spatial"));
  EXPECT_EQ(only(old).attr_int("training_mode", 1), 0);
  const auto error = [&](int64_t opset, const std::vector<Message>& attrs, int outputs) {
    return read_error(one_node(opset, "BatchNormalization", {x({"1", "2", "3"})}, weights, names, attrs, outputs));
  };
  EXPECT_NE(error(8, {attr_int("spatial", 0)}, 1).find("4: node 'n', operator BatchNormalization, opset 8: spatial = 0"),
            std::string::npos);
  EXPECT_NE(error(9, {}, 5).find("4: node 'n', operator BatchNormalization, opset 9: "), std::string::npos) << error(9, {}, 5);
  EXPECT_EQ(error(15, {attr_int("training_mode", 1)}, 3), "");
}

TEST(Forms, GroupNormalizationByGroupAndByChannel) {
  const std::vector<Message> groups = {floats("s", {2}, {1, 2}), floats("b", {2}, {3, 4})};
  const Graph old =
      read(one_node(18, "GroupNormalization", {x({"1", "4", "3"})}, groups, {"x", "s", "b"}, {attr_int("num_groups", 2)}));
  EXPECT_EQ(old.value(only(old).inputs[1]).constant->to_i64(), (Ints{1, 1, 2, 2}));
  EXPECT_EQ(old.value(only(old).inputs[2]).constant->to_i64(), (Ints{3, 3, 4, 4}));
}

TEST(Forms, CompressByAConstantIsGather) {
  const Graph along =
      read(one_node(11, "Compress", {x({"2", "3"})}, {bools("c", {3}, {1, 0, 1})}, {"x", "c"}, {attr_int("axis", 1)}));
  EXPECT_EQ(only(along).op, OpKind::kGather);
  EXPECT_EQ(along.value(along.outputs[0]).shape, (Shape{2, 2}));
  const Graph flat = read(one_node(11, "Compress", {x({"2", "3"})}, {bools("c", {3}, {1, 0, 1})}, {"x", "c"}));
  ASSERT_EQ(flat.nodes.size(), 2u);
  EXPECT_EQ(flat.nodes[0].attr_ints("shape"), Ints{6});
  EXPECT_EQ(flat.value(flat.outputs[0]).shape, (Shape{2}));
}

TEST(Forms, CastLikeAndScatter) {
  const Graph cast = read(one_node(15, "CastLike", {x({"2"}), value("like", kInt64, {"5"})}, {}, {"x", "like"}));
  EXPECT_EQ(only(cast).op, OpKind::kCast);
  EXPECT_EQ(cast.value(cast.outputs[0]).dtype, DType::kI64);
  const Graph scatter =
      read(one_node(10, "Scatter", {x({"1", "5"}), value("i", kInt64, {"1", "2"}), value("u", kFloat, {"1", "2"})}, {},
                    {"x", "i", "u"}, {attr_int("axis", 1)}));
  EXPECT_EQ(only(scatter).op, OpKind::kScatterElements);
}

TEST(Forms, BroadcastAttributesOfOpset6AreRefused) {
  const std::string error = read_error(one_node(7, "Add", {x({"2", "3"}), value("b", kFloat, {"2"})}, {}, {"x", "b"},
                                                {attr_int("broadcast", 1), attr_int("axis", 0)}));
  EXPECT_NE(error.find("4: node 'n', operator Add, opset 7: attribute 'axis' is not known"), std::string::npos) << error;
}

}  // namespace
}  // namespace tlm::ir::test
