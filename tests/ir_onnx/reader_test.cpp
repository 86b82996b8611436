// What a model says and what becomes of it: inputs, initializers, dimensions, shape arithmetic, refusals.
#include <gtest/gtest.h>

#include "wire.h"

namespace tlm::ir::test {
namespace {

using testing::Test;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

#define EXPECT_HAS(text, part) EXPECT_TRUE(has(text, part)) << "'" << (part) << "' not in: " << (text)

TEST(Reader, InputsInitializersOutputsMetadata) {
  ModelParts p;
  p.inputs = {value("x", kFloat, {"2", "3"}), value("w", kFloat, {"3"})};  // w is an initializer too: a default, hence constant
  p.initializers = {floats("w", {3}, {1, 2, 3})};
  p.nodes = {node("Add", {"x", "w"}, {"y"}, {}, "add")};
  p.outputs = {value("y", kFloat, {"2", "3"})};
  const std::string bytes = model(p) + Message().text(2, "maker").message(14, Message().text(1, "key").text(2, "value")).bytes;
  const Graph g = read(bytes);
  ASSERT_EQ(g.inputs.size(), 1u);
  ASSERT_EQ(g.outputs.size(), 1u);
  EXPECT_EQ(g.value(g.inputs[0]).name, "x");
  EXPECT_EQ(g.value(g.outputs[0]).shape, (Shape{2, 3}));
  ASSERT_EQ(g.nodes.size(), 1u);
  EXPECT_EQ(g.nodes[0].name, "add");
  EXPECT_EQ(g.value(g.nodes[0].inputs[1]).constant->at_f64(2), 3);
  EXPECT_EQ(g.name, "g");
  EXPECT_EQ(g.metadata.at("onnx.opset"), "17");
  EXPECT_EQ(g.metadata.at("onnx.producer"), "maker");
  EXPECT_EQ(g.metadata.at("key"), "value");
}

TEST(Reader, NodesMayComeInAnyOrder) {
  ModelParts p;
  p.inputs = {value("x", kFloat, {"2"})};
  p.nodes = {node("Neg", {"a"}, {"y"}), node("Exp", {"x"}, {"a"})};
  p.outputs = {value("y", kFloat, {"2"})};
  const Graph g = read(p);
  ASSERT_EQ(g.nodes.size(), 2u);
  EXPECT_EQ(g.nodes[0].op, OpKind::kExp);
}

TEST(Reader, SymbolicDimensions) {
  ModelParts p = one_node(17, "Relu", {value("x", kFloat, {"N", "3", ""})}, {}, {"x"});
  EXPECT_EQ(read(p, {.dims = {{"N", 4}, {"x[2]", 7}}}).value({0}).shape, (Shape{4, 3, 7}));
  const std::string error = read_error(p);
  EXPECT_HAS(error, "2: dimensions 'N', 'x[2]' of the model's inputs must be given");
  EXPECT_HAS(error, "--dim 'N=N'");
  EXPECT_HAS(read_error(p, {.dims = {{"N", 4}}}), "2: dimension 'x[2]'");
  EXPECT_HAS(read_error(p, {.dims = {{"N", 4}, {"x[2]", 7}, {"M", 1}}}), "2: the model has no dimension 'M'");
  EXPECT_HAS(read_error(p, {.dims = {{"N", 4}, {"x[2]", 7}, {"M", 1}}}), "it has: N, x[2]");
  EXPECT_HAS(read_error(p, {.dims = {{"N", -4}, {"x[2]", 7}}}), "2: dimension 'N' is -4");
  // Some exporters write -1 for an unknown extent.
  EXPECT_EQ(read(one_node(17, "Relu", {value("x", kFloat, {"-1"})}, {}, {"x"}), {.dims = {{"x[0]", 5}}}).value({0}).shape,
            Shape{5});
}

TEST(Reader, BoundInputsBecomeConstants) {
  ModelParts p =
      one_node(17, "Reshape", {value("x", kFloat, {"N", "6"}), value("shape", kInt64, {"K"}), value("n", kFloat, {"N"})}, {},
               {"x", "shape"});
  OnnxOptions options;
  const std::vector<int64_t> shape = {3, -1};
  options.bound["shape"] = Tensor::vector_i64(shape);
  options.dims["N"] = 4;
  const Graph g = read(p, options);
  EXPECT_EQ(g.inputs.size(), 2u);
  EXPECT_EQ(g.value(g.outputs[0]).shape, (Shape{3, 8}));
  EXPECT_HAS(read_error(p, {.dims = {{"N", 4}, {"K", 2}}}),
             "4: node 'n', operator Reshape, opset 17: output shape depends on data: 'shape' is not constant");
  options.bound["other"] = Tensor::scalar_i64(1);
  EXPECT_HAS(read_error(p, options), "2: the model has no input 'other'");
  options.bound.erase("other");
  options.bound["shape"] = Tensor::scalar_f32(1);
  EXPECT_HAS(read_error(p, options), "2: the value bound to input 'shape' is f32[]");
  // A bound input fixes the dimensions that it shares with others.
  options.bound = {{"n", Tensor(DType::kF32, {9})}, {"shape", Tensor::vector_i64(shape)}};
  options.dims.clear();
  EXPECT_EQ(read(p, options).value(read(p, options).inputs[0]).shape, (Shape{9, 6}));
}

TEST(Reader, ShapeArithmeticIsEvaluated) {
  // reshape(x, concat(shape(x)[0:1], [-1])), as exporters flatten.
  ModelParts p;
  p.inputs = {value("x", kFloat, {"2", "3", "4"})};
  p.initializers = {ints("zero", {1}, {0}), ints("one", {1}, {1}), ints("rest", {1}, {-1})};
  p.nodes = {node("Shape", {"x"}, {"s"}), node("Slice", {"s", "zero", "one"}, {"first"}),
             node("Concat", {"first", "rest"}, {"target"}, {attr_int("axis", 0)}), node("Reshape", {"x", "target"}, {"y"})};
  p.outputs = {value("y", kFloat, {"2", "12"})};
  const Graph g = read(p);
  ASSERT_EQ(g.nodes.size(), 1u) << print(g);
  EXPECT_EQ(g.nodes[0].attr_ints("shape"), (std::vector<int64_t>{2, 12}));
  EXPECT_EQ(g.values.size(), 2u) << print(g);  // the arithmetic has left nothing behind
}

TEST(Reader, SizeAndShapeWithBounds) {
  ModelParts p;
  p.inputs = {value("x", kFloat, {"2", "3", "4"})};
  p.nodes = {node("Shape", {"x"}, {"s"}, {attr_int("start", 1), attr_int("end", -1)}), node("Size", {"x"}, {"n"})};
  p.outputs = {Message().text(1, "s"), Message().text(1, "n")};
  const Graph g = read(p);
  EXPECT_EQ(g.value(g.outputs[0]).constant->to_i64(), (std::vector<int64_t>{3}));
  EXPECT_EQ(g.value(g.outputs[1]).constant->to_i64(), (std::vector<int64_t>{24}));
}

TEST(Reader, LargeWeightsAreNotComputedAtImport) {
  ModelParts p = one_node(17, "Range", {}, {ints("a", {}, {0}), ints("b", {}, {60000000}), ints("c", {}, {1})}, {"a", "b", "c"});
  const Graph g = read(p);
  EXPECT_EQ(g.nodes.size(), 1u);
  EXPECT_EQ(g.value(g.outputs[0]).shape, (Shape{60000000}));
  EXPECT_FALSE(g.value(g.outputs[0]).constant);
}

TEST(Reader, ConstantNodesInEveryForm) {
  ModelParts p;
  p.nodes = {node("Constant", {}, {"a"}, {attr_tensor("value", floats("", {2}, {1, 2}))}),
             node("Constant", {}, {"b"}, {attr_int("value_int", 7)}),
             node("Constant", {}, {"c"}, {attr_ints("value_ints", {1, 2, 3})}),
             node("Constant", {}, {"d"}, {attr_float("value_float", 0.5f)}),
             node("Constant", {}, {"e"}, {attr_floats("value_floats", {0.5f, 1.5f})})};
  for (const char* name : {"a", "b", "c", "d", "e"}) p.outputs.push_back(Message().text(1, name));
  const Graph g = read(p);
  EXPECT_EQ(g.value(g.outputs[0]).shape, (Shape{2}));
  EXPECT_EQ(g.value(g.outputs[1]).constant->to_i64(), (std::vector<int64_t>{7}));
  EXPECT_EQ(g.value(g.outputs[1]).shape, Shape{});
  EXPECT_EQ(g.value(g.outputs[2]).constant->to_i64(), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(g.value(g.outputs[3]).constant->at_f64(0), 0.5);
  EXPECT_EQ(g.value(g.outputs[4]).constant->at_f64(1), 1.5);
  p.nodes = {node("Constant", {}, {"a"}, {attr_string("value_string", "text")})};
  p.outputs.resize(1);
  EXPECT_HAS(read_error(p), "4: the node of output 'a', operator Constant, opset 17: a Constant by attribute 'value_string'");
  p.nodes = {node("Constant", {}, {"a"}, {})};
  EXPECT_HAS(read_error(p), "3: a Constant has 0 attributes");
}

TEST(Reader, AGraphInputThatIsAnOutputIsCopied) {
  ModelParts p;
  p.inputs = {value("x", kFloat, {"2"})};
  p.outputs = {value("x", kFloat, {"2"})};
  const Graph g = read(p);
  ASSERT_EQ(g.nodes.size(), 1u);
  EXPECT_EQ(g.nodes[0].op, OpKind::kIdentity);
  EXPECT_EQ(g.value(g.outputs[0]).name, "x");
}

TEST(Reader, AllUnsupportedPartsAreNamedAtOnce) {
  ModelParts p;
  p.inputs = {value("x", kFloat, {"2", "2"}), value("names", kString, {"2"}), value("k", kInt64, {"1"}),
              Message().text(1, "list").message(
                  2, Message().message(4, Message().message(1, Message().message(1, Message().number(1, kFloat)))))};
  p.initializers = {tensor("text", kString, {1}).text(6, "abc")};
  p.nodes = {node("NonZero", {"x"}, {"a"}, {}, "find"),
             node("Relu", {"a"}, {"b"}, {}, "after"),
             node("Fancy", {"x"}, {"c"}, {}, "", "com.example"),
             node("If", {"x"}, {"d"}, {attr_graph("then_branch", Message())}, "branch"),
             node("Tile", {"x", "k"}, {"e"}, {}, "tile"),
             node("Det", {"b"}, {"f"}, {}, "det"),
             node("Relu", {"x"}, {"y"}),
             node("Identity", {"names"}, {"g"}, {}, "same")};
  p.outputs = {value("y", kFloat, {"2", "2"}), value("f", kFloat, {})};
  const std::string error = read_error(p);
  EXPECT_HAS(error, "4: 8 parts of the model are not supported:");
  EXPECT_HAS(error, "\n  initializer 'text': element type STRING");
  EXPECT_HAS(error, "\n  node 'same', operator Identity, opset 17: graph input 'names': its element type is STRING");
  EXPECT_HAS(error, "\n  graph input 'list': it is a sequence");
  EXPECT_HAS(error, "\n  node 'find', operator NonZero, opset 17: unsupported operator");
  EXPECT_HAS(error, "\n  the node of output 'c', operator com.example.Fancy, opset unknown: operators of other domains");
  EXPECT_HAS(error, "\n  node 'branch', operator If, opset 17: unsupported operator");
  EXPECT_HAS(error, "\n  node 'tile', operator Tile, opset 17: output shape depends on data: 'repeats' is not constant");
  EXPECT_HAS(error, "\n  node 'det', operator Det, opset 17");
  EXPECT_FALSE(has(error, "after")) << error;  // it only hangs on one that is named
}

TEST(Reader, OpsetsOutsideTheRange) {
  ModelParts p = one_node(6, "Relu", {value("x", kFloat, {"2"})}, {}, {"x"});
  EXPECT_HAS(read_error(p), "4: opset 6 is not supported");
  p.opset = 24;
  EXPECT_HAS(read_error(p), "4: opset 24 is not supported");
  for (const int64_t fine : {7, 12, 17, 21, 23}) {
    p.opset = fine;
    EXPECT_EQ(read_error(p), "") << fine;
  }
  p.nodes = {node("Mish", {"x"}, {"y0"}, {}, "m")};
  p.opset = 17;
  EXPECT_HAS(read_error(p), "4: node 'm', operator Mish, opset 17: the operator is not in this opset (it came with 18)");
}

TEST(Reader, MismatchesNameTheNodeAndBothValues) {
  ModelParts p = one_node(13, "Add", {value("a", kFloat, {"2", "3"}), value("b", kFloat, {"4"})}, {}, {"a", "b"});
  const std::string error = read_error(p);
  EXPECT_HAS(error, "3: shapes [2,3] and [4] do not broadcast");
  EXPECT_HAS(error, "at: model: node 'n', operator Add, opset 13");
}

TEST(Reader, DeclaredOutputsMustAgree) {
  ModelParts p = one_node(17, "Relu", {value("x", kFloat, {"2", "3"})}, {}, {"x"});
  p.outputs = {value("y0", kFloat, {"2", "4"})};
  EXPECT_HAS(read_error(p), "3: graph output 'y0' is declared with shape [2,4]; its node gives [2,3]");
  p.outputs = {value("y0", kFloat, {"N", "3"})};
  EXPECT_EQ(read_error(p), "");
  p.outputs = {value("y0", kInt64, {"2", "3"})};
  EXPECT_HAS(read_error(p), "3: graph output 'y0' is declared with type INT64; its node gives f32");
  p.outputs = {value("z", kFloat, {})};
  EXPECT_HAS(read_error(p), "3: graph output 'z' is produced by no node");
  p.outputs = {Message().text(1, "y0"), Message().text(1, "y0")};
  EXPECT_HAS(read_error(p), "3: graph output 'y0' is given twice");
  p.outputs.clear();
  EXPECT_HAS(read_error(p), "3: the graph has no outputs");
}

}  // namespace
}  // namespace tlm::ir::test
