// What lowering refuses, and with which message.
#include <gtest/gtest.h>

#include "run_graph.h"
#include "tlm/core/error.h"

namespace tlm::ir::test {
namespace {

// The message with which lowering refuses the node, after its attributes have been replaced by `attrs` behind the back of the
// shape rules.
Error refusal(OpKind op, const std::vector<In>& inputs, const Attributes& attrs, const Attributes& changed) {
  OneNode n = one_node(op, inputs, attrs);
  for (Node& node : n.graph.nodes) {
    node.name = "the node";
    for (const auto& [key, value] : changed) node.attrs[key] = value;
  }
  SubgraphBuilder b(n.graph);
  try {
    lower_graph(n.graph, b);
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << op_kind_name(op) << " was not refused";
  return Error(ErrorCode::kInternal, "");
}

TEST(Refusal, UnsupportedAttributes) {
  struct Row {
    OpKind op;
    std::vector<In> inputs;
    Attributes attrs, changed;
    const char* message;
  };
  In x = f32({1, 4, 2, 2}, std::vector<double>(16, 1)), scales = constant(tensor(DType::kF32, {4}, {1, 1, 2, 2}));
  Tensor pads = Tensor::vector_i64(std::vector<int64_t>{0, 0, 1, 1, 0, 0, 1, 1});
  auto word = [](const char* s) { return AttrValue(std::string(s)); };
  const std::vector<Row> rows = {
      {OpKind::kGelu, {x}, {}, {{"approximate", word("sigmoid")}}, "Gelu: attribute approximate = sigmoid is not supported"},
      {OpKind::kDepthToSpace,
       {x},
       {{"blocksize", int64_t{2}}},
       {{"mode", word("XYZ")}},
       "DepthToSpace: attribute mode = XYZ is not supported"},
      {OpKind::kPad, {x, constant(pads)}, {}, {{"mode", word("mirror")}}, "Pad: attribute mode = mirror is not supported"},
      {OpKind::kResize,
       {x, absent(), scales},
       {},
       {{"mode", word("lanczos")}},
       "Resize: attribute mode = lanczos is not supported"},
      {OpKind::kResize,
       {x, absent(), scales},
       {},
       {{"nearest_mode", word("up")}},
       "Resize: attribute nearest_mode = up is not supported"},
      {OpKind::kResize,
       {x, absent(), scales},
       {},
       {{"coordinate_transformation_mode", word("odd")}},
       "Resize: attribute coordinate_transformation_mode = odd is not supported"},
      {OpKind::kLpNormalization, {x}, {}, {{"p", int64_t{3}}}, "LpNormalization: attribute p = 3 is not supported"},
      {OpKind::kNegativeLogLikelihoodLoss,
       {f32({1, 2}, {0, 0}), i64({1}, {0})},
       {},
       {{"reduction", word("max")}},
       "NegativeLogLikelihoodLoss: attribute reduction = max is not supported"},
  };
  for (const Row& r : rows) {
    SCOPED_TRACE(r.message);
    Error e = refusal(r.op, r.inputs, r.attrs, r.changed);
    EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(e.message(), r.message);
    EXPECT_EQ(e.where(), "node 'the node' (" + std::string(op_kind_name(r.op)) + ")");
  }
}

TEST(Refusal, BadAxis) {
  Error e = refusal(OpKind::kSoftmax, {f32({2}, {1, 2})}, {}, {{"axis", int64_t{4}}});
  EXPECT_EQ(e.code(), ErrorCode::kBadModel);
  EXPECT_EQ(e.message(), "Softmax: axis 4 is outside a tensor of rank 1");
}

TEST(Refusal, EdgePaddingOfNothing) {
  In empty = input(Tensor(DType::kF32, {0, 2}));
  Tensor pads = Tensor::vector_i64(std::vector<int64_t>{1, 0, 0, 0});
  EXPECT_EQ(refusal(OpKind::kPad, {empty, constant(pads)}, {}, {{"mode", std::string("edge")}}).message(),
            "Pad: mode edge with an empty dimension");
}

}  // namespace
}  // namespace tlm::ir::test
