// tlm and the system's libonnx with the full protobuf in one process: neither disturbs the other.
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <fstream>

#include "tests/core/support.h"
#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/ir/onnx/onnx_writer.h"

namespace tlm::ir::test {
namespace {

TEST(BesideLibonnx, BothReadWhatTlmWrites) {
  Graph g;
  Value v;
  v.name = "x";
  v.shape = {2, 3, 8, 8};
  g.inputs = {g.add_value(v)};
  const ValueId w = g.add_constant("w", Tensor(DType::kF32, {4, 3, 3, 3}));
  const ValueId y = add_op(g, OpKind::kConv, {g.inputs[0], w}, {}, "conv")[0];
  const ValueId s = add_op(g, OpKind::kSlice, {y},
                           {{"starts", std::vector<int64_t>{-1}},
                            {"ends", std::vector<int64_t>{-9}},
                            {"axes", std::vector<int64_t>{2}},
                            {"steps", std::vector<int64_t>{-2}}},
                           "slice")[0];
  const ValueId m = add_op(g, OpKind::kReduceMean, {s}, {{"axes", std::vector<int64_t>{2, 3}}}, "mean")[0];
  g.outputs = add_op(g, OpKind::kReshape, {m}, {{"shape", std::vector<int64_t>{2, 4}}}, "flat");
  tlm::test::TempFolder folder;
  write_onnx(g, folder / "m.onnx");

  onnx::ModelProto theirs;
  std::ifstream in(folder / "m.onnx", std::ios::binary);
  ASSERT_TRUE(theirs.ParseFromIstream(&in));
  EXPECT_NO_THROW(onnx::checker::check_model(theirs));
  EXPECT_EQ(theirs.graph().node_size(), 4);
  EXPECT_NE(theirs.GetDescriptor(), nullptr);

  const std::string bytes = theirs.SerializeAsString();
  const Graph ours = read_onnx(std::as_bytes(std::span(bytes.data(), bytes.size())), "theirs");
  g.name = ours.name;
  EXPECT_EQ(print(ours), print(g));
}

}  // namespace
}  // namespace tlm::ir::test
