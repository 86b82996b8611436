// Operators that move or make elements.
#include <gtest/gtest.h>

#include "run_graph.h"

namespace tlm::ir::test {
namespace {

constexpr DType F = DType::kF32, L = DType::kI64;
using Ints = std::vector<int64_t>;

In shape_input(const Ints& v) { return constant(Tensor::vector_i64(v)); }
In seq(Shape s) { return input(sequence(F, std::move(s))); }

TEST(Movement, Views) {
  Tensor x = sequence(F, {2, 3, 4});
  auto as = [&](Shape s) { return sequence(F, std::move(s)); };
  check({
      {"merge", OpKind::kReshape, {input(x), shape_input({6, 4})}, {}, {as({6, 4})}},
      {"split", OpKind::kReshape, {input(x), shape_input({2, 3, 2, 2})}, {}, {as({2, 3, 2, 2})}},
      {"mixed", OpKind::kReshape, {input(x), shape_input({4, -1})}, {}, {as({4, 6})}},
      {"ones", OpKind::kReshape, {input(x), shape_input({1, 24, 1})}, {}, {as({1, 24, 1})}},
      {"regroup", OpKind::kReshape, {input(x), shape_input({3, 2, 4})}, {}, {as({3, 2, 4})}},
      {"flatten", OpKind::kFlatten, {input(x)}, {{"axis", int64_t{2}}}, {as({6, 4})}},
      {"squeeze", OpKind::kSqueeze, {seq({1, 3, 1})}, {}, {as({3})}},
      {"unsqueeze", OpKind::kUnsqueeze, {seq({3}), shape_input({0, 2})}, {}, {as({1, 3, 1})}},
      {"identity", OpKind::kIdentity, {input(x)}, {}, {x}},
      {"empty", OpKind::kReshape, {seq({0, 3}), shape_input({3, 0})}, {{"allowzero", int64_t{1}}}, {Tensor(F, {3, 0})}},
      {"scalar", OpKind::kReshape, {f32({1}, {7}), shape_input({})}, {}, {tensor(F, {}, {7})}},
  });
}

TEST(Movement, ConcatSplitSlice) {
  check({
      {"concat rows",
       OpKind::kConcat,
       {f32({1, 2}, {1, 2}), f32({2, 2}, {3, 4, 5, 6})},
       {{"axis", int64_t{0}}},
       {tensor(F, {3, 2}, {1, 2, 3, 4, 5, 6})}},
      {"concat columns",
       OpKind::kConcat,
       {f32({2, 1}, {1, 2}), f32({2, 2}, {3, 4, 5, 6})},
       {{"axis", int64_t{1}}},
       {tensor(F, {2, 3}, {1, 3, 4, 2, 5, 6})}},
      {"concat with an empty one",
       OpKind::kConcat,
       {f32({0}, {}), f32({2}, {1, 2})},
       {{"axis", int64_t{0}}},
       {tensor(F, {2}, {1, 2})}},
      {"split",
       OpKind::kSplit,
       {seq({2, 3}), shape_input({1, 2})},
       {{"axis", int64_t{1}}},
       {tensor(F, {2, 1}, {0, 3}), tensor(F, {2, 2}, {1, 2, 4, 5})}},
      {"slice",
       OpKind::kSlice,
       {seq({3, 4}), shape_input({1, 0}), shape_input({3, 4}), shape_input({0, 1}), shape_input({1, 2})},
       {},
       {tensor(F, {2, 2}, {4, 6, 8, 10})}},
      {"slice backwards",
       OpKind::kSlice,
       {seq({5}), shape_input({-1}), shape_input({-100}), shape_input({0}), shape_input({-2})},
       {},
       {tensor(F, {3}, {4, 2, 0})}},
      {"empty slice", OpKind::kSlice, {seq({5}), shape_input({4}), shape_input({2})}, {}, {Tensor(F, {0})}},
      {"f16 moves",
       OpKind::kConcat,
       {input(tensor(DType::kF16, {1}, {1.5})), input(tensor(DType::kF16, {1}, {2}))},
       {{"axis", int64_t{0}}},
       {tensor(DType::kF16, {2}, {1.5, 2})}},
  });
}

TEST(Movement, PadModes) {
  auto pad = [](const char* mode, const Ints& pads, std::vector<double> expected) {
    auto n = static_cast<int64_t>(expected.size());
    return Case{
        mode, OpKind::kPad, {f32({3}, {1, 2, 3}), shape_input(pads)}, {{"mode", std::string(mode)}}, {tensor(F, {n}, expected)}};
  };
  check({
      pad("constant", {2, 1}, {0, 0, 1, 2, 3, 0}),
      pad("edge", {2, 1}, {1, 1, 1, 2, 3, 3}),
      pad("reflect", {2, 1}, {3, 2, 1, 2, 3, 2}),
      pad("wrap", {2, 1}, {2, 3, 1, 2, 3, 1}),
      pad("constant", {-1, 2}, {2, 3, 0, 0}),
      pad("edge", {1, -1}, {1, 1, 2}),
      {"value",
       OpKind::kPad,
       {f32({1, 2}, {1, 2}), shape_input({1, 0, 0, 1}), constant(tensor(F, {}, {9}))},
       {},
       {tensor(F, {2, 3}, {9, 9, 9, 1, 2, 9})}},
  });
}

TEST(Movement, Rearrange) {
  check({
      {"transpose", OpKind::kTranspose, {seq({2, 3})}, {}, {tensor(F, {3, 2}, {0, 3, 1, 4, 2, 5})}},
      {"permutation",
       OpKind::kTranspose,
       {seq({2, 1, 3})},
       {{"perm", Ints{2, 0, 1}}},
       {tensor(F, {3, 2, 1}, {0, 3, 1, 4, 2, 5})}},
      {"expand",
       OpKind::kExpand,
       {f32({2, 1}, {1, 2}), shape_input({2, 1, 2})},
       {},
       {tensor(F, {2, 2, 2}, {1, 1, 2, 2, 1, 1, 2, 2})}},
      {"tile", OpKind::kTile, {f32({1, 2}, {1, 2}), shape_input({2, 2})}, {}, {tensor(F, {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2})}},
      {"depth to space, DCR",
       OpKind::kDepthToSpace,
       {seq({1, 8, 1, 1})},
       {{"blocksize", int64_t{2}}},
       {tensor(F, {1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7})}},
      {"depth to space, CRD",
       OpKind::kDepthToSpace,
       {seq({1, 8, 1, 1})},
       {{"blocksize", int64_t{2}}, {"mode", std::string("CRD")}},
       {sequence(F, {1, 2, 2, 2})}},
      {"space to depth",
       OpKind::kSpaceToDepth,
       {seq({1, 1, 2, 4})},
       {{"blocksize", int64_t{2}}},
       {tensor(F, {1, 4, 1, 2}, {0, 2, 1, 3, 4, 6, 5, 7})}},
      {"reverse sequence",
       OpKind::kReverseSequence,
       {seq({2, 3}), i64({2}, {1, 3})},
       {{"batch_axis", int64_t{0}}, {"time_axis", int64_t{1}}},
       {tensor(F, {2, 3}, {0, 1, 2, 5, 4, 3})}},
  });
}

TEST(Movement, Gather) {
  In x = seq({3, 2});
  check({
      {"rows", OpKind::kGather, {x, i64({2}, {2, -3})}, {}, {tensor(F, {2, 2}, {4, 5, 0, 1})}},
      {"columns", OpKind::kGather, {x, i64({1, 2}, {1, 0})}, {{"axis", int64_t{1}}}, {tensor(F, {3, 1, 2}, {1, 0, 3, 2, 5, 4})}},
      {"scalar index", OpKind::kGather, {x, constant(Tensor::scalar_i64(-1))}, {}, {tensor(F, {2}, {4, 5})}},
      {"outside is clamped", OpKind::kGather, {x, i64({2}, {7, -9})}, {}, {tensor(F, {2, 2}, {4, 5, 0, 1})}},
      {"no indices", OpKind::kGather, {x, i64({0}, {})}, {}, {Tensor(F, {0, 2})}},
      {"elements", OpKind::kGatherElements, {x, i64({1, 2}, {2, -2})}, {}, {tensor(F, {1, 2}, {4, 3})}},
      {"nd, elements", OpKind::kGatherND, {x, i64({2, 2}, {0, 1, 2, 0})}, {}, {tensor(F, {2}, {1, 4})}},
      {"nd, rows", OpKind::kGatherND, {x, i64({2, 1}, {1, -1})}, {}, {tensor(F, {2, 2}, {2, 3, 4, 5})}},
      {"nd, batch", OpKind::kGatherND, {x, i64({3, 1}, {1, 0, 1})}, {{"batch_dims", int64_t{1}}}, {tensor(F, {3}, {1, 2, 5})}},
      {"one hot",
       OpKind::kOneHot,
       {i64({2}, {1, -1}), constant(Tensor::scalar_i64(3)), f32({2}, {0, 9})},
       {},
       {tensor(F, {2, 3}, {0, 9, 0, 0, 0, 9})}},
      {"one hot, first axis",
       OpKind::kOneHot,
       {i64({2}, {1, 5}), constant(Tensor::scalar_i64(2)), f32({2}, {1, 2})},
       {{"axis", int64_t{0}}},
       {tensor(F, {2, 2}, {1, 1, 2, 1})}},
  });
}

TEST(Movement, Generate) {
  Attributes upper = {{"upper", int64_t{1}}}, lower = {{"upper", int64_t{0}}};
  In x = input(sequence(F, {2, 3}, 1));
  check({
      {"upper triangle", OpKind::kTrilu, {x}, upper, {tensor(F, {2, 3}, {1, 2, 3, 0, 5, 6})}},
      {"lower triangle", OpKind::kTrilu, {x, constant(Tensor::scalar_i64(1))}, lower, {tensor(F, {2, 3}, {1, 2, 0, 4, 5, 6})}},
      {"range",
       OpKind::kRange,
       {constant(Tensor::scalar_i64(10)), constant(Tensor::scalar_i64(4)), constant(Tensor::scalar_i64(-3))},
       {},
       {tensor(L, {2}, {10, 7})}},
      {"fill",
       OpKind::kConstantOfShape,
       {shape_input({2, 1})},
       {{"value", tensor(F, {1}, {2.5})}},
       {tensor(F, {2, 1}, {2.5, 2.5})}},
      {"eye", OpKind::kEyeLike, {seq({2, 3})}, {{"k", int64_t{1}}}, {tensor(F, {2, 3}, {0, 1, 0, 0, 0, 1})}},
  });
}

TEST(Movement, Resize) {
  auto scales = [](std::vector<double> v) { return constant(tensor(F, {static_cast<int64_t>(v.size())}, v)); };
  Attributes linear = {{"mode", std::string("linear")}},
             corners = {{"mode", std::string("linear")}, {"coordinate_transformation_mode", std::string("align_corners")}};
  In x = f32({1, 1, 2, 2}, {1, 2, 3, 4});
  check({
      {"nearest", OpKind::kResize, {x, absent(), scales({1, 1, 2, 1})}, {}, {tensor(F, {1, 1, 4, 2}, {1, 2, 1, 2, 3, 4, 3, 4})}},
      {"linear", OpKind::kResize, {f32({1, 2}, {0, 4}), absent(), scales({1, 2})}, linear, {tensor(F, {1, 4}, {0, 1, 3, 4})}},
      {"align corners, both",
       OpKind::kResize,
       {x, absent(), absent(), shape_input({1, 1, 3, 3})},
       corners,
       {tensor(F, {1, 1, 3, 3}, {1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4})}},
      {"smaller",
       OpKind::kResize,
       {f32({1, 4}, {0, 1, 2, 3}), absent(), scales({1, 0.5})},
       linear,
       {tensor(F, {1, 2}, {0.5, 2.5})}},
  });
}

}  // namespace
}  // namespace tlm::ir::test
