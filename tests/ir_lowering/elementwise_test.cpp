// Elementwise operators: hand-computed tables, broadcasting, types.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "run_graph.h"

namespace tlm::ir::test {
namespace {

constexpr DType F = DType::kF32, D = DType::kF64, I = DType::kI32, L = DType::kI64, B = DType::kBool, U8 = DType::kU8;
constexpr double kInf = std::numeric_limits<double>::infinity();

In in(DType t, Shape s, const std::vector<double>& v) { return input(tensor(t, std::move(s), v)); }

TEST(Elementwise, BinaryWithBroadcast) {
  check({
      {"add row", OpKind::kAdd, {f32({2, 2}, {1, 2, 3, 4}), f32({2}, {10, 20})}, {}, {tensor(F, {2, 2}, {11, 22, 13, 24})}},
      {"add column", OpKind::kAdd, {f32({2, 1}, {1, 2}), f32({1, 2}, {10, 20})}, {}, {tensor(F, {2, 2}, {11, 21, 12, 22})}},
      {"sub scalar", OpKind::kSub, {f32({2}, {1, 2}), constant(tensor(F, {}, {5}))}, {}, {tensor(F, {2}, {-4, -3})}},
      {"mul u8", OpKind::kMul, {in(U8, {2}, {20, 3}), in(U8, {2}, {20, 4})}, {}, {tensor(U8, {2}, {144, 12})}},
      {"div truncates",
       OpKind::kDiv,
       {in(I, {4}, {7, -7, 7, -7}), in(I, {4}, {2, 2, -2, -2})},
       {},
       {tensor(I, {4}, {3, -3, -3, 3})}},
      {"div", OpKind::kDiv, {f32({2}, {1, 3}), f32({1}, {2})}, {}, {tensor(F, {2}, {0.5, 1.5})}},
      {"f16", OpKind::kAdd, {in(DType::kF16, {1}, {1.5}), in(DType::kF16, {1}, {2})}, {}, {tensor(DType::kF16, {1}, {3.5})}},
      {"bf16", OpKind::kMul, {in(DType::kBF16, {1}, {1.5}), in(DType::kBF16, {1}, {2})}, {}, {tensor(DType::kBF16, {1}, {3})}},
      {"shift left",
       OpKind::kBitShift,
       {in(U8, {2}, {1, 3}), in(U8, {2}, {3, 1})},
       {{"direction", std::string("LEFT")}},
       {tensor(U8, {2}, {8, 6})}},
      {"shift right",
       OpKind::kBitShift,
       {in(U8, {2}, {16, 3}), in(U8, {2}, {3, 1})},
       {{"direction", std::string("RIGHT")}},
       {tensor(U8, {2}, {2, 1})}},
      {"bitwise and", OpKind::kBitwiseAnd, {in(I, {2}, {12, -1}), in(I, {2}, {10, 5})}, {}, {tensor(I, {2}, {8, 5})}},
      {"bitwise or", OpKind::kBitwiseOr, {in(I, {1}, {12}), in(I, {1}, {10})}, {}, {tensor(I, {1}, {14})}},
      {"bitwise xor", OpKind::kBitwiseXor, {in(I, {1}, {12}), in(I, {1}, {10})}, {}, {tensor(I, {1}, {6})}},
      {"bitwise not", OpKind::kBitwiseNot, {in(U8, {2}, {0, 3})}, {}, {tensor(U8, {2}, {255, 252})}},
  });
}

TEST(Elementwise, Comparison) {
  In a = f32({4}, {1, 2, 3, std::nan("")}), b = f32({4}, {2, 2, 2, 2});
  check({
      {"less", OpKind::kLess, {a, b}, {}, {tensor(B, {4}, {1, 0, 0, 0})}},
      {"less or equal", OpKind::kLessOrEqual, {a, b}, {}, {tensor(B, {4}, {1, 1, 0, 0})}},
      {"greater", OpKind::kGreater, {a, b}, {}, {tensor(B, {4}, {0, 0, 1, 0})}},
      {"greater or equal", OpKind::kGreaterOrEqual, {a, b}, {}, {tensor(B, {4}, {0, 1, 1, 0})}},
      {"equal", OpKind::kEqual, {a, b}, {}, {tensor(B, {4}, {0, 1, 0, 0})}},
      {"and", OpKind::kAnd, {in(B, {4}, {0, 0, 1, 1}), in(B, {4}, {0, 1, 0, 1})}, {}, {tensor(B, {4}, {0, 0, 0, 1})}},
      {"or", OpKind::kOr, {in(B, {4}, {0, 0, 1, 1}), in(B, {4}, {0, 1, 0, 1})}, {}, {tensor(B, {4}, {0, 1, 1, 1})}},
      {"xor", OpKind::kXor, {in(B, {4}, {0, 0, 1, 1}), in(B, {4}, {0, 1, 0, 1})}, {}, {tensor(B, {4}, {0, 1, 1, 0})}},
      {"not", OpKind::kNot, {in(B, {2}, {0, 1})}, {}, {tensor(B, {2}, {1, 0})}},
      {"is nan", OpKind::kIsNaN, {f32({3}, {0, std::nan(""), kInf})}, {}, {tensor(B, {3}, {0, 1, 0})}},
      {"is inf", OpKind::kIsInf, {f32({3}, {-kInf, 0, kInf})}, {}, {tensor(B, {3}, {1, 0, 1})}},
      {"is +inf", OpKind::kIsInf, {f32({3}, {-kInf, 0, kInf})}, {{"detect_negative", int64_t{0}}}, {tensor(B, {3}, {0, 0, 1})}},
      {"is -inf", OpKind::kIsInf, {f32({3}, {-kInf, 0, kInf})}, {{"detect_positive", int64_t{0}}}, {tensor(B, {3}, {1, 0, 0})}},
  });
}

TEST(Elementwise, PowModClipCast) {
  check({
      {"pow", OpKind::kPow, {f32({3}, {1, 2, 3}), f32({3}, {4, 5, 0.5})}, {}, {tensor(F, {3}, {1, 32, std::sqrt(3.0)})}},
      {"square", OpKind::kPow, {f32({2}, {-3, 2}), constant(tensor(F, {}, {2}))}, {}, {tensor(F, {2}, {9, 4})}},
      {"integer base", OpKind::kPow, {in(I, {2}, {3, -2}), f32({2}, {2, 3})}, {}, {tensor(I, {2}, {9, -8})}},
      {"mod", OpKind::kMod, {in(L, {4}, {7, -7, 7, -7}), in(L, {4}, {3, 3, -3, -3})}, {}, {tensor(L, {4}, {1, 2, -2, -1})}},
      {"fmod integers",
       OpKind::kMod,
       {in(L, {4}, {7, -7, 7, -7}), in(L, {4}, {3, 3, -3, -3})},
       {{"fmod", int64_t{1}}},
       {tensor(L, {4}, {1, -1, 1, -1})}},
      {"fmod", OpKind::kMod, {f32({2}, {5.5, -5.5}), f32({2}, {2, 2})}, {{"fmod", int64_t{1}}}, {tensor(F, {2}, {1.5, -1.5})}},
      {"clip",
       OpKind::kClip,
       {f32({3}, {-2, 0, 2}), constant(tensor(F, {}, {-1})), constant(tensor(F, {}, {1}))},
       {},
       {tensor(F, {3}, {-1, 0, 1})}},
      {"clip above only", OpKind::kClip, {f32({2}, {-2, 2}), absent(), f32({}, {1})}, {}, {tensor(F, {2}, {-2, 1})}},
      {"float to int saturates",
       OpKind::kCast,
       {f32({4}, {1.9, -1.9, 1e20, std::nan("")})},
       {{"to", int64_t{6}}},
       {tensor(I, {4}, {1, -1, 2147483647, 0})}},
      {"to bool", OpKind::kCast, {f32({3}, {0, 0.5, -2})}, {{"to", int64_t{9}}}, {tensor(B, {3}, {0, 1, 1})}},
      {"bool to float", OpKind::kCast, {in(B, {2}, {0, 1})}, {{"to", int64_t{1}}}, {tensor(F, {2}, {0, 1})}},
      {"i64 to f64", OpKind::kCast, {in(L, {1}, {-5})}, {{"to", int64_t{11}}}, {tensor(D, {1}, {-5})}},
      {"where", OpKind::kWhere, {in(B, {2, 1}, {1, 0}), f32({2}, {1, 2}), f32({}, {9})}, {}, {tensor(F, {2, 2}, {1, 2, 9, 9})}},
  });
}

TEST(Elementwise, Variadic) {
  In a = f32({2, 2}, {1, 5, 3, 4}), b = f32({2}, {2, 3}), c = f32({1}, {2.5});
  check({
      {"max", OpKind::kMax, {a, b, c}, {}, {tensor(F, {2, 2}, {2.5, 5, 3, 4})}},
      {"min", OpKind::kMin, {a, b, c}, {}, {tensor(F, {2, 2}, {1, 2.5, 2, 2.5})}},
      {"sum", OpKind::kSum, {a, b, c}, {}, {tensor(F, {2, 2}, {5.5, 10.5, 7.5, 9.5})}},
      {"mean", OpKind::kMean, {a, b}, {}, {tensor(F, {2, 2}, {1.5, 4, 2.5, 3.5})}},
      {"one", OpKind::kMax, {a}, {}, {tensor(F, {2, 2}, {1, 5, 3, 4})}},
      {"i8", OpKind::kMin, {in(DType::kI8, {2}, {-4, 3}), in(DType::kI8, {2}, {-5, 9})}, {}, {tensor(DType::kI8, {2}, {-5, 3})}},
  });
}

// Functions of one element against <cmath>.
TEST(Elementwise, Functions) {
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  auto softplus = [](double x) { return std::log1p(std::exp(x)); };
  struct Function {
    OpKind op;
    std::function<double(double)> f;
    double lo = -3, hi = 3;
    Attributes attrs = {};
  };
  std::vector<Function> functions = {
      {OpKind::kAbs, [](double x) { return std::fabs(x); }},
      {OpKind::kAcos, [](double x) { return std::acos(x); }, -1, 1},
      {OpKind::kAcosh, [](double x) { return std::acosh(x); }, 1, 9},
      {OpKind::kAsin, [](double x) { return std::asin(x); }, -1, 1},
      {OpKind::kAsinh, [](double x) { return std::asinh(x); }},
      {OpKind::kAtan, [](double x) { return std::atan(x); }},
      {OpKind::kAtanh, [](double x) { return std::atanh(x); }, -0.9, 0.9},
      {OpKind::kCeil, [](double x) { return std::ceil(x); }},
      {OpKind::kCelu,
       [](double x) { return std::max(x, 0.0) + std::min(0.0, 2 * (std::exp(x / 2) - 1)); },
       -3,
       3,
       {{"alpha", 2.0}}},
      {OpKind::kCos, [](double x) { return std::cos(x); }},
      {OpKind::kCosh, [](double x) { return std::cosh(x); }},
      {OpKind::kElu, [](double x) { return x < 0 ? 0.5 * (std::exp(x) - 1) : x; }, -3, 3, {{"alpha", 0.5}}},
      {OpKind::kErf, [](double x) { return std::erf(x); }},
      {OpKind::kExp, [](double x) { return std::exp(x); }},
      {OpKind::kFloor, [](double x) { return std::floor(x); }},
      {OpKind::kGelu, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
      {OpKind::kGelu,
       [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); },
       -3,
       3,
       {{"approximate", std::string("tanh")}}},
      {OpKind::kHardSigmoid,
       [](double x) { return std::max(0.0, std::min(1.0, 0.3 * x + 0.4)); },
       -3,
       3,
       {{"alpha", 0.3}, {"beta", 0.4}}},
      {OpKind::kHardSwish, [](double x) { return x * std::max(0.0, std::min(1.0, x / 6 + 0.5)); }, -5, 5},
      {OpKind::kLeakyRelu, [](double x) { return x < 0 ? 0.1 * x : x; }, -3, 3, {{"alpha", 0.1}}},
      {OpKind::kLog, [](double x) { return std::log(x); }, 0.1, 9},
      {OpKind::kMish, [&](double x) { return x * std::tanh(softplus(x)); }},
      {OpKind::kNeg, [](double x) { return -x; }},
      {OpKind::kReciprocal, [](double x) { return 1 / x; }, 0.5, 3},
      {OpKind::kRelu, [](double x) { return std::max(x, 0.0); }},
      {OpKind::kRound, [](double x) { return std::nearbyint(x); }},
      {OpKind::kSelu, [](double x) { return 1.05070102214813232 * (x > 0 ? x : 1.67326319217681884 * (std::exp(x) - 1)); }},
      {OpKind::kShrink, [](double x) { return x < -1  ? x + 0.5
                                              : x > 1 ? x - 0.5
                                                      : 0; }, -3, 3, {{"lambd", 1.0}, {"bias", 0.5}}},
      {OpKind::kSigmoid, sigmoid},
      {OpKind::kSign, [](double x) { return x > 0   ? 1
                                            : x < 0 ? -1
                                                    : 0; }},
      {OpKind::kSin, [](double x) { return std::sin(x); }},
      {OpKind::kSinh, [](double x) { return std::sinh(x); }},
      {OpKind::kSoftplus, softplus, -100, 100},
      {OpKind::kSoftsign, [](double x) { return x / (1 + std::fabs(x)); }},
      {OpKind::kSqrt, [](double x) { return std::sqrt(x); }, 0, 9},
      {OpKind::kTan, [](double x) { return std::tan(x); }, -1, 1},
      {OpKind::kTanh, [](double x) { return std::tanh(x); }},
      {OpKind::kThresholdedRelu, [](double x) { return x > 1.5 ? x : 0; }, -3, 3, {{"alpha", 1.5}}},
  };
  for (const Function& f : functions) {
    SCOPED_TRACE(op_kind_name(f.op));
    Tensor x = random({3, 1, 20}, 7, f.lo, f.hi), expected(F, x.shape());
    for (int64_t i = 0; i < x.size(); ++i) expected.set_f64(i, f.f(x.at_f64(i)));
    expect_tensor(run(f.op, {input(x)}, f.attrs)[0], expected, 1e-5, 1e-6);
  }
}

TEST(Elementwise, PRelu) {
  check({{"slope of each channel",
          OpKind::kPRelu,
          {f32({1, 2, 2}, {-1, 1, -2, 2}), f32({2, 1}, {0.5, 0.25})},
          {},
          {tensor(F, {1, 2, 2}, {-0.5, 1, -0.5, 2})}}});
}

}  // namespace
}  // namespace tlm::ir::test
