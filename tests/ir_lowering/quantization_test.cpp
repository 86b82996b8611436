// Quantized operators.
#include <gtest/gtest.h>

#include "run_graph.h"

namespace tlm::ir::test {
namespace {

constexpr DType F = DType::kF32, U8 = DType::kU8, I8 = DType::kI8;

In u8(Shape s, const std::vector<double>& v) { return input(tensor(U8, std::move(s), v)); }
In scalar(double v) { return f32({}, {v}); }

TEST(Quantization, Linear) {
  check({
      {"quantize",
       OpKind::kQuantizeLinear,
       {f32({5}, {0, 2, 3, 1000, -1000}), scalar(2), u8({}, {128})},
       {},
       {tensor(U8, {5}, {128, 129, 130, 255, 0})}},
      {"halves to even",
       OpKind::kQuantizeLinear,
       {f32({3}, {1, 3, -1}), scalar(2), input(tensor(I8, {}, {0}))},
       {},
       {tensor(I8, {3}, {0, 2, 0})}},
      {"each channel",
       OpKind::kQuantizeLinear,
       {f32({2, 2}, {4, 8, 4, 8}), f32({2}, {2, 4}), u8({2}, {1, 2})},
       {{"axis", int64_t{0}}},
       {tensor(U8, {2, 2}, {3, 5, 3, 4})}},
      {"dequantize",
       OpKind::kDequantizeLinear,
       {u8({3}, {0, 128, 255}), scalar(0.5), u8({}, {128})},
       {},
       {tensor(F, {3}, {-64, 0, 63.5})}},
      {"dequantize each channel",
       OpKind::kDequantizeLinear,
       {u8({1, 2}, {10, 10}), f32({2}, {1, 2}), u8({2}, {0, 5})},
       {{"axis", int64_t{1}}},
       {tensor(F, {1, 2}, {10, 10})}},
      {"dynamic",
       OpKind::kDynamicQuantizeLinear,
       {f32({3}, {-1, 0, 1.55})},
       {},
       {tensor(U8, {3}, {0, 100, 255}), tensor(F, {}, {0.01}), tensor(U8, {}, {100})}},
  });
}

TEST(Quantization, Products) {
  check({
      // (3-1)·0.5 · (4-2)·2 + (5-1)·0.5 · (3-2)·2 = 4 + 4 = 8; 8 / 4 + 10
      {"matmul",
       OpKind::kQLinearMatMul,
       {u8({1, 2}, {3, 5}), scalar(0.5), u8({}, {1}), u8({2, 1}, {4, 3}), scalar(2), u8({}, {2}), scalar(4), u8({}, {10})},
       {},
       {tensor(U8, {1, 1}, {12})}},
      // (3-1)·2 + (5-1)·1 = 8 plus bias 4, times 0.5·1/2, plus 1
      {"conv",
       OpKind::kQLinearConv,
       {u8({1, 1, 2}, {3, 5}), scalar(0.5), u8({}, {1}), u8({1, 1, 2}, {2, 1}), f32({1}, {1}), u8({1}, {0}), scalar(2),
        u8({}, {1}), input(tensor(DType::kI32, {1}, {4}))},
       {},
       {tensor(U8, {1, 1, 1}, {4})}},
  });
}

// Padding stands for the zero point, not for the number 0.
TEST(Quantization, ConvPadsWithZeroPoint) {
  check({{"conv",
          OpKind::kQLinearConv,
          {u8({1, 1, 1}, {9}), scalar(1), u8({}, {7}), u8({1, 1, 3}, {1, 1, 1}), scalar(1), u8({}, {0}), scalar(1), u8({}, {0})},
          {{"pads", std::vector<int64_t>{1, 1}}},
          {tensor(U8, {1, 1, 1}, {2})}}});
}

}  // namespace
}  // namespace tlm::ir::test
