// Matrix products and Einsum.
#include <gtest/gtest.h>

#include "run_graph.h"

namespace tlm::ir::test {
namespace {

constexpr DType F = DType::kF32;

Attributes equation(const char* e) { return {{"equation", std::string(e)}}; }

TEST(Contraction, MatMul) {
  In a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = f32({3, 2}, {1, 0, 0, 1, 1, 1});
  In v3 = f32({3}, {1, 2, 3}), v2 = f32({2}, {1, -1});
  In stack = input(sequence(F, {2, 1, 2, 3}, 1)), many = input(sequence(F, {2, 3, 2}));
  check({
      {"matrices", OpKind::kMatMul, {a, b}, {}, {tensor(F, {2, 2}, {4, 5, 10, 11})}},
      {"matrix vector", OpKind::kMatMul, {a, v3}, {}, {tensor(F, {2}, {14, 32})}},
      {"vector matrix", OpKind::kMatMul, {v2, a}, {}, {tensor(F, {3}, {-3, -3, -3})}},
      {"vectors", OpKind::kMatMul, {v3, v3}, {}, {tensor(F, {}, {14})}},
      {"batches broadcast",
       OpKind::kMatMul,
       {stack, many},
       {},
       {tensor(F, {2, 2, 2, 2}, {16, 22, 34, 49, 52, 58, 124, 139, 52, 76, 70, 103, 196, 220, 268, 301})}},
      {"integers",
       OpKind::kMatMul,
       {input(tensor(DType::kI32, {1, 2}, {3, 4})), input(tensor(DType::kI32, {2, 1}, {5, 6}))},
       {},
       {tensor(DType::kI32, {1, 1}, {39})}},
      {"nothing to sum", OpKind::kMatMul, {f32({2, 0}, {}), f32({0, 2}, {})}, {}, {tensor(F, {2, 2}, {0, 0, 0, 0})}},
  });
}

TEST(Contraction, Gemm) {
  In a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), at = f32({3, 2}, {1, 4, 2, 5, 3, 6});
  In b = f32({3, 2}, {1, 0, 0, 1, 1, 1}), bt = f32({2, 3}, {1, 0, 1, 0, 1, 1});
  check({
      {"plain", OpKind::kGemm, {a, b}, {}, {tensor(F, {2, 2}, {4, 5, 10, 11})}},
      {"transposed",
       OpKind::kGemm,
       {at, bt, f32({2}, {1, 2})},
       {{"transA", int64_t{1}}, {"transB", int64_t{1}}},
       {tensor(F, {2, 2}, {5, 7, 11, 13})}},
      {"alpha, beta",
       OpKind::kGemm,
       {a, b, f32({2, 1}, {1, 2})},
       {{"alpha", 2.0}, {"beta", 0.5}},
       {tensor(F, {2, 2}, {8.5, 10.5, 21, 23})}},
      {"scalar c", OpKind::kGemm, {a, b, f32({}, {3})}, {}, {tensor(F, {2, 2}, {7, 8, 13, 14})}},
  });
}

TEST(Contraction, Einsum) {
  In m = f32({2, 2}, {1, 2, 3, 4}), n = f32({2, 2}, {5, 6, 7, 8}), v = f32({2}, {10, 100});
  check({
      {"product", OpKind::kEinsum, {m, n}, equation("ij,jk->ik"), {tensor(F, {2, 2}, {19, 22, 43, 50})}},
      {"implicit", OpKind::kEinsum, {m, n}, equation("ij , jk"), {tensor(F, {2, 2}, {19, 22, 43, 50})}},
      {"transpose", OpKind::kEinsum, {m}, equation("ij->ji"), {tensor(F, {2, 2}, {1, 3, 2, 4})}},
      {"trace", OpKind::kEinsum, {m}, equation("ii->"), {tensor(F, {}, {5})}},
      {"diagonal", OpKind::kEinsum, {m}, equation("ii->i"), {tensor(F, {2}, {1, 4})}},
      {"row sums", OpKind::kEinsum, {m}, equation("ij->i"), {tensor(F, {2}, {3, 7})}},
      {"outer", OpKind::kEinsum, {v, v}, equation("i,j->ij"), {tensor(F, {2, 2}, {100, 1000, 1000, 10000})}},
      {"three operands", OpKind::kEinsum, {m, n, v}, equation("ij,jk,k->i"), {tensor(F, {2}, {2390, 5430})}},
      {"ellipsis",
       OpKind::kEinsum,
       {input(sequence(F, {2, 1, 2})), m},
       equation("...i,ij->...j"),
       {tensor(F, {2, 1, 2}, {3, 4, 11, 16})}},
  });
}

TEST(Contraction, Integers) {
  auto u8 = [](Shape s, const std::vector<double>& v) { return input(tensor(DType::kU8, std::move(s), v)); };
  check({
      {"no zero points",
       OpKind::kMatMulInteger,
       {u8({1, 2}, {200, 100}), u8({2, 1}, {2, 3})},
       {},
       {tensor(DType::kI32, {1, 1}, {700})}},
      {"zero points",
       OpKind::kMatMulInteger,
       {u8({2, 2}, {11, 7, 3, 10}), u8({2, 2}, {1, 4, 2, 5}), u8({}, {12}), u8({2}, {0, 1})},
       {},
       {tensor(DType::kI32, {2, 2}, {-11, -23, -13, -35})}},
      {"convolution",
       OpKind::kConvInteger,
       {u8({1, 1, 3}, {2, 3, 4}), u8({1, 1, 2}, {1, 1}), u8({}, {1})},
       {{"pads", std::vector<int64_t>{1, 1}}},
       {tensor(DType::kI32, {1, 1, 4}, {1, 3, 5, 3})}},
  });
}

}  // namespace
}  // namespace tlm::ir::test
