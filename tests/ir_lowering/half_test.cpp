// f16 and bf16 are storage types: every family computes them in f32 (the verifier refuses arithmetic on them) and rounds once.
#include <gtest/gtest.h>

#include <cmath>

#include "run_graph.h"

namespace tlm::ir::test {
namespace {

using Ints = std::vector<int64_t>;

Tensor converted(const Tensor& x, DType t) {
  Tensor y(t, x.shape());
  for (int64_t i = 0; i < x.size(); ++i) y.set_f64(i, x.at_f64(i));
  return y;
}

TEST(Half, AgreesWithSinglePrecision) {
  struct Row {
    OpKind op;
    std::vector<In> inputs;
    Attributes attrs = {};
  };
  In x = input(random({2, 4, 5, 5}, 1)), m = input(random({4, 6}, 2)), v = constant(random({4}, 3, 0.5, 1));
  In w = constant(random({4, 2, 3, 3}, 4)), wt = constant(random({4, 3, 2, 2}, 5)), flag = input(tensor(DType::kBool, {}, {1}));
  In places = i64({2}, {1, -1}), scales = constant(tensor(DType::kF32, {4}, {1, 1, 2, 1.5}));
  Attributes pads = {{"pads", Ints{1, 1, 1, 1}}, {"kernel_shape", Ints{3, 3}}};
  Attributes grouped = pads;
  grouped["group"] = int64_t{2};
  const std::vector<Row> rows = {
      {OpKind::kRelu, {x}},
      {OpKind::kGelu, {x}},
      {OpKind::kSign, {x}},
      {OpKind::kAdd, {m, constant(tensor(DType::kF32, {}, {0.5}))}},
      {OpKind::kPow, {m, constant(tensor(DType::kF32, {}, {2}))}},
      {OpKind::kMod, {m, constant(tensor(DType::kF32, {}, {0.25}))}, {{"fmod", int64_t{1}}}},
      {OpKind::kClip, {m, constant(tensor(DType::kF32, {}, {-0.5})), absent()}},
      {OpKind::kWhere, {flag, m, constant(tensor(DType::kF32, {}, {2}))}},
      {OpKind::kLess, {m, constant(tensor(DType::kF32, {}, {0}))}},
      {OpKind::kConv, {x, w, v}, grouped},
      {OpKind::kConvTranspose, {x, wt}, {{"strides", Ints{2, 2}}}},
      {OpKind::kMaxPool, {x}, pads},
      {OpKind::kAveragePool, {x}, pads},
      {OpKind::kGlobalAveragePool, {x}},
      {OpKind::kLRN, {x}, {{"size", int64_t{3}}}},
      {OpKind::kBatchNormalization, {x, v, v, v, v}},
      {OpKind::kInstanceNormalization, {x, v, v}},
      {OpKind::kLayerNormalization, {m, constant(random({6}, 6))}},
      {OpKind::kSoftmax, {m}},
      {OpKind::kLogSoftmax, {m}},
      {OpKind::kHardmax, {m}},
      {OpKind::kGemm, {m, m, v}, {{"transB", int64_t{1}}, {"alpha", 0.5}}},
      {OpKind::kMatMul, {m, constant(random({6, 2}, 8))}},
      {OpKind::kEinsum, {m, m}, {{"equation", std::string("ij,ij->i")}}},
      {OpKind::kReduceMean, {m}, {{"axes", Ints{1}}}},
      {OpKind::kReduceLogSumExp, {m}, {{"axes", Ints{1}}}},
      {OpKind::kArgMax, {m}, {{"axis", int64_t{1}}}},
      {OpKind::kCumSum, {m, constant(Tensor::scalar_i64(0))}},
      {OpKind::kConcat, {m, m}, {{"axis", int64_t{0}}}},
      {OpKind::kTranspose, {m}},
      {OpKind::kPad, {m, constant(Tensor::vector_i64(Ints{1, 0, 0, 2}))}},
      {OpKind::kTrilu, {m}},
      {OpKind::kGather, {m, places}},
      {OpKind::kResize, {x, absent(), scales}, {{"mode", std::string("linear")}}},
      {OpKind::kReshape, {m, constant(Tensor::vector_i64(Ints{3, 8}))}},
  };
  for (const Row& r : rows) {
    for (DType t : {DType::kF16, DType::kBF16}) {
      SCOPED_TRACE(std::string(op_kind_name(r.op)) + " of " + std::string(dtype_name(t)));
      // The same rounded values in both types.
      std::vector<In> narrow = r.inputs, wide = r.inputs;
      for (size_t i = 0; i < narrow.size(); ++i) {
        if (!narrow[i].value || narrow[i].value->dtype() != DType::kF32 || (r.op == OpKind::kResize && i == 2)) continue;
        narrow[i].value = converted(*narrow[i].value, t);
        wide[i].value = converted(*narrow[i].value, DType::kF32);
      }
      Tensor expected = run(r.op, wide, r.attrs)[0], actual = run(r.op, narrow, r.attrs)[0];
      EXPECT_EQ(actual.dtype(), expected.dtype() == DType::kF32 ? t : expected.dtype());
      double step = t == DType::kF16 ? 0x1p-10 : 0x1p-7;
      expect_tensor(converted(actual, expected.dtype()), expected, step, step);
    }
  }
}

}  // namespace
}  // namespace tlm::ir::test
