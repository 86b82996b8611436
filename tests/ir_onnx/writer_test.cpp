#include "tlm/ir/onnx/onnx_writer.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/support.h"
#include "tlm/core/error.h"
#include "tlm/ir/graph/op_table.h"
#include "wire.h"

namespace tlm::ir::test {
namespace {

using tlm::test::TempFolder;

Graph through_file(const Graph& g) {
  TempFolder folder;
  write_onnx(g, folder / "m.onnx");
  EXPECT_EQ(folder.entries(), 1u);
  Graph back = read_onnx(folder / "m.onnx");
  verify(back);
  return back;
}

// The text of a graph but for what a file does not keep: the canonical form's own spelling is compared, names are.
std::string text(const Graph& g) { return print(g); }

ValueId input(Graph& g, const std::string& name, Shape shape, DType t = DType::kF32) {
  Value v;
  v.name = name;
  v.shape = std::move(shape);
  v.dtype = t;
  g.inputs.push_back(g.add_value(std::move(v)));
  return g.inputs.back();
}

// One node on inputs; written and read again it must print the same.
void round_trip(OpKind op, const std::vector<Shape>& shapes, const Attributes& attrs, int outputs = 1, DType t = DType::kF32,
                std::vector<ValueId> more = {}) {
  Graph g;
  g.name = "g";
  std::vector<ValueId> inputs;
  for (const Shape& s : shapes) inputs.push_back(input(g, "x" + std::to_string(inputs.size()), s, t));
  inputs.insert(inputs.end(), more.begin(), more.end());
  g.outputs = add_op(g, op, inputs, attrs, "n", outputs);
  verify(g);
  EXPECT_EQ(text(through_file(g)), text(g));
}

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

TEST(Writer, CanonicalFormIsWrittenAsInputs) {
  round_trip(OpKind::kReshape, {{2, 3}}, {{"shape", Ints{3, 2}}});
  round_trip(OpKind::kReshape, {{0, 3}}, {{"shape", Ints{3, 0}}, {"allowzero", int64_t{1}}});
  round_trip(OpKind::kExpand, {{3, 1}}, {{"shape", Ints{2, 3, 4}}});
  round_trip(OpKind::kSqueeze, {{1, 3}}, {{"axes", Ints{0}}});
  round_trip(OpKind::kUnsqueeze, {{3}}, {{"axes", Ints{0, 2}}});
  round_trip(OpKind::kReduceSum, {{2, 3}}, {{"axes", Ints{1}}});
  round_trip(OpKind::kReduceSum, {{2, 3}}, {{"noop_with_empty_axes", int64_t{1}}});
  round_trip(OpKind::kReduceMean, {{2, 3}}, {{"axes", Ints{0}}, {"keepdims", int64_t{0}}});
  round_trip(OpKind::kReduceMax, {{}}, {});
  round_trip(OpKind::kSlice, {{9, 8}}, {{"starts", Ints{-1, 1}}, {"ends", Ints{-100, 7}}, {"steps", Ints{-2, 3}}});
  round_trip(OpKind::kSlice, {{9}}, {{"starts", Ints{4}}, {"ends", Ints{2}}});
  round_trip(OpKind::kPad, {{2, 3}}, {{"pads", Ints{1, 0, -1, 2}}});
  round_trip(OpKind::kSplit, {{5, 2}}, {{"split", Ints{2, 3}}}, 2);
  round_trip(OpKind::kTile, {{2, 3}}, {{"repeats", Ints{2, 2}}});
  round_trip(OpKind::kTopK, {{2, 8}}, {{"k", int64_t{3}}, {"largest", int64_t{0}}}, 2);
  round_trip(OpKind::kCumSum, {{2, 8}}, {{"axis", int64_t{1}}, {"reverse", int64_t{1}}});
  round_trip(OpKind::kTrilu, {{4, 4}}, {{"k", int64_t{-1}}, {"upper", int64_t{0}}});
  round_trip(OpKind::kResize, {{1, 1, 4, 4}}, {{"scales", Floats{1, 1, 2, 1.5}}, {"mode", std::string("linear")}});
  round_trip(OpKind::kConv, {{1, 2, 8, 8}, {4, 2, 3, 3}}, {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}});
  round_trip(OpKind::kAveragePool, {{1, 2, 8, 8}}, {{"kernel_shape", Ints{3, 3}}});
  round_trip(OpKind::kCast, {{2}}, {{"to", int64_t{7}}});
  round_trip(OpKind::kEyeLike, {{300, 300}}, {{"k", int64_t{1}}});
}

TEST(Writer, ResizeKeepsSizesThatNoScaleGives) {
  Graph g;
  g.name = "g";
  const ValueId x = input(g, "x", {1, 1, 7, 7});
  const Ints sizes = {1, 1, 5, 3};
  const ValueId s = g.add_constant("s", Tensor::vector_i64(sizes));
  g.outputs = add_op(g, OpKind::kResize, {x, {}, {}, s}, {}, "n");
  g.compact();
  EXPECT_EQ(text(through_file(g)), text(g));
}

TEST(Writer, OptionalInputsAndConstants) {
  Graph g;
  g.name = "g";
  g.metadata["author"] = "someone";
  g.metadata["onnx.opset"] = "11";
  const ValueId x = input(g, "x", {2, 3});
  const ValueId six = g.add_constant("six", Tensor::scalar_f32(6));
  const ValueId y = add_op(g, OpKind::kClip, {x, {}, six}, {}, "clip")[0];
  g.outputs = {y};
  const Graph back = through_file(g);
  EXPECT_EQ(back.metadata.at("author"), "someone");
  EXPECT_EQ(back.metadata.at("onnx.opset"), "17");
  EXPECT_EQ(text(back), text(g));
}

TEST(Writer, NamesBecomeDistinct) {
  Graph g;
  const ValueId x = input(g, "x", {2});
  const ValueId a = add_op(g, OpKind::kRelu, {x}, {}, "same")[0];
  const ValueId b = add_op(g, OpKind::kNeg, {a}, {}, "same")[0];
  const ValueId c = add_op(g, OpKind::kAbs, {b}, {}, "same")[0];
  g.value(a).name = "";
  g.outputs = {c};
  const Graph back = through_file(g);
  EXPECT_EQ(back.nodes.size(), 3u);
  EXPECT_EQ(back.value(back.outputs[0]).name, "same");
}

TEST(Writer, SameGraphSameBytes) {
  Graph g;
  const ValueId x = input(g, "x", {2, 3});
  g.outputs = add_op(g, OpKind::kReshape, {x}, {{"shape", Ints{6}}}, "r");
  TempFolder folder;
  write_onnx(g, folder / "a.onnx");
  write_onnx(g, folder / "b.onnx");
  const auto bytes = [&](const char* name) {
    std::ifstream in(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes("a.onnx"), bytes("b.onnx"));
}

TEST(Writer, Refusals) {
  Graph g;
  const ValueId x = input(g, "x", {1, 4, 8});
  TempFolder folder;
  const auto refuse = [&](const std::string& part, OpKind op, Attributes attrs) {
    Graph copy = g;
    copy.outputs = add_op(copy, op, {x}, std::move(attrs), "n");
    tlm::test::expect_error(ErrorCode::kUnsupported, part, [&] { write_onnx(copy, folder / "m.onnx"); });
    EXPECT_EQ(folder.entries(), 0u);
  };
  refuse("an operator of opset 18 cannot be written with opset 17", OpKind::kMish, {});
  refuse("attribute 'dilations' cannot be written", OpKind::kAveragePool, {{"kernel_shape", Ints{2}}, {"dilations", Ints{2}}});
  refuse("a reduction over no axes cannot be written", OpKind::kReduceMean, {{"noop_with_empty_axes", int64_t{1}}});
  refuse("mode 'wrap' cannot be written", OpKind::kPad, {{"pads", Ints{0, 0, 1, 0, 0, 1}}, {"mode", std::string("wrap")}});
  g.outputs = add_op(g, OpKind::kRelu, {x}, {}, "n");
  tlm::test::expect_error(ErrorCode::kEnvironment, "nowhere", [&] { write_onnx(g, folder / "nowhere/m.onnx"); });
}

TEST(Writer, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  Graph g;
  const ValueId x = input(g, "x", {2});
  const ValueId w = g.add_constant("w", Tensor(DType::kF32, {1 << 20}));
  g.outputs = add_op(g, OpKind::kRelu, {x}, {}, "n");
  g.outputs.push_back(add_op(g, OpKind::kNeg, {w}, {}, "m")[0]);
  tlm::test::expect_error(ErrorCode::kEnvironment, "/dev/full", [&] { write_onnx(g, "/dev/full"); });
}

}  // namespace
}  // namespace tlm::ir::test
