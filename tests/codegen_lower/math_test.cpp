// The math functions of generated code against long double libm: dense sweeps over magnitudes, and the special values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/codegen_lower/plan_builder.h"
#include "tests/support/run_kernel.h"
#include "tlm/codegen/lower/lower.h"

namespace tlm::test {
namespace {

using Reference = long double (*)(long double);

struct Function {
  const char* name;
  Reference reference;
  double f32_ulp, f64_ulp;  // accepted error in units of the last place of the exact result
};

long double round_even(long double x) { return std::nearbyint(x); }
long double reciprocal_root(long double x) { return 1 / std::sqrt(x); }

const Function kFunctions[] = {
    {"exp", std::exp, 2, 4},          {"log", std::log, 2.5, 4},   {"sin", std::sin, 1, 4},   {"cos", std::cos, 1, 4},
    {"tan", std::tan, 1, 6},          {"asin", std::asin, 1, 6},   {"acos", std::acos, 1, 6}, {"atan", std::atan, 1, 4},
    {"sinh", std::sinh, 1, 6},        {"cosh", std::cosh, 1, 6},   {"tanh", std::tanh, 4, 6}, {"asinh", std::asinh, 1, 6},
    {"acosh", std::acosh, 1, 6},      {"atanh", std::atanh, 1, 6}, {"erf", std::erf, 4, 20},  {"sqrt", std::sqrt, 0.51, 0.51},
    {"rsqrt", reciprocal_root, 2, 2}, {"floor", std::floor, 0, 0}, {"ceil", std::ceil, 0, 0}, {"round", round_even, 0, 0},
    {"trunc", std::trunc, 0, 0},      {"abs", std::fabs, 0, 0},
};

std::vector<double> arguments(DType t, int count) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x = {0.0,        -0.0,  inf,     -inf,   nan,    1,        -1,         0.5,        -0.5,
                           1.5,        -1.5,  2.5,     1e-40,  -1e-40, 88.7,     88.8,       -103.9,     -104.1,
                           709.7,      709.9, -745.1,  1e30,   -1e30,  0x1p-126, 0x1p23,     0x1p24 + 2, 8388609,
                           -8388607.5, 1e5,   99999.5, 100001, 1e22,   3.0e38,   0.99999994, 1.0000001};
  Rng rng(7);
  const double low = t == DType::kF32 ? -45 : -60, high = t == DType::kF32 ? 38 : 60;
  while (static_cast<int>(x.size()) < count) {
    const size_t i = x.size();
    const double sign = i & 1 ? -1 : 1;
    switch (i / 2 % 4) {
      case 0: x.push_back(sign * std::pow(10.0, low + (high - low) * rng.uniform())); break;  // all magnitudes
      case 1: x.push_back(sign * rng.uniform()); break;
      case 2: x.push_back(sign * rng.uniform() * 20); break;
      default: x.push_back(sign * rng.uniform() * 800); break;
    }
  }
  return x;
}

ir::Subgraph map(const std::string& op, DType t, int count) {
  const std::string type = std::string(dtype_name(t)) + "[" + std::to_string(count) + "]";
  return ir::parse_subgraph("subgraph \"map\" {\n  input X: " + type + "\n  output Y: " + type +
                            "\n  stage \"map\" {\n    spatial i:" + std::to_string(count) + "\n    body " + op +
                            "(X[i])\n    store Y[i] = acc0\n  }\n}\n");
}

// Units in the last place (of the type) between `got` and the exact value; 0 where both overflow or are NaN.
double error_ulp(double got, long double exact, DType t) {
  const long double rounded = t == DType::kF32 ? static_cast<long double>(static_cast<float>(exact))
                                               : static_cast<long double>(static_cast<double>(exact));
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e9;
  if (static_cast<long double>(got) == rounded) return rounded == 0 && std::signbit(got) != std::signbit(rounded) ? 1e9 : 0;
  if (std::isinf(rounded) || std::isinf(got) || std::isnan(got)) {
    // One step short of overflow, or over it, is an error of one unit.
    const double top = t == DType::kF32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    return std::fabs(std::isinf(got) ? static_cast<double>(rounded) : got) >= top * 0.999999 ? 1 : 1e9;
  }
  int e;
  std::frexp(rounded, &e);
  const int bits = t == DType::kF32 ? 24 : 53, least = t == DType::kF32 ? -149 : -1074;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / std::ldexp(1.0L, std::max(e - bits, least)));
}

class Math : public testing::TestWithParam<const char*> {};

TEST_P(Math, AgreesWithLongDouble) {
  const Target target = named_target(GetParam());
  if (const auto missing = missing_features(target.features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << missing[0];
  constexpr int kCount = 40003;
  std::vector<ir::Kernel> kernels;
  std::vector<ir::Subgraph> graphs;
  std::vector<std::pair<const Function*, DType>> what;
  for (const Function& f : kFunctions)
    for (DType t : {DType::kF32, DType::kF64})
      for (int lanes : {1, target.vector_bits / (t == DType::kF32 ? 32 : 64)}) {
        graphs.push_back(map(f.name, t, kCount));
        kernels.push_back(codegen::lower(graphs.back(), PlanBuilder(graphs.back()).vector(0, 0, lanes).build(), target));
        what.emplace_back(&f, t);
      }
  const CompiledKernels compiled(std::move(kernels), target);
  for (size_t i = 0; i < graphs.size(); ++i) {
    const auto [f, t] = what[i];
    const std::vector<double> x = arguments(t, kCount);
    std::vector<Tensor> bound(2);
    bound[0] = Tensor(t, {kCount});
    for (int n = 0; n < kCount; ++n) bound[0].set_f64(n, x[static_cast<size_t>(n)]);
    ASSERT_EQ(compiled.run(i, graphs[i], bound, Rng(i)), "");
    double worst = 0, at = 0, got = 0;
    for (int n = 0; n < kCount; ++n) {
      const double e = error_ulp(bound[1].at_f64(n), f->reference(bound[0].at_f64(n)), t);
      if (e > worst) worst = e, at = bound[0].at_f64(n), got = bound[1].at_f64(n);
    }
    const double limit = t == DType::kF32 ? f->f32_ulp : f->f64_ulp;
    std::printf("%-6s %s %s: %.2f ulp at %.9g\n", f->name, std::string(dtype_name(t)).c_str(), i % 2 ? "vector" : "scalar", worst,
                at);
    EXPECT_LE(worst, limit) << f->name << " " << dtype_name(t) << " at " << at << " is " << got;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Math, testing::Values("x86-64", "x86-64-v3", "x86-64-v4"), [](const auto& info) {
  std::string s = info.param;
  for (char& c : s)
    if (c == '-') c = '_';
  return s;
});

TEST(Pow, AgreesWithLongDouble) {
  const Target target = named_target("x86-64");
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<double, double>> xy;
  const double special[] = {0.0,
                            -0.0,
                            1,
                            -1,
                            2,
                            -2,
                            3,
                            -3,
                            0.5,
                            -0.5,
                            1e10,
                            -1e10,
                            1e300,
                            -1e300,
                            inf,
                            -inf,
                            nan,
                            4503599627370497.0,
                            1e-320,
                            0.9999999999999999,
                            1.0000000000000002};
  for (double x : special)
    for (double y : special) xy.emplace_back(x, y);
  Rng rng(3);
  while (xy.size() < 20000) {
    const double x = std::exp(rng.normal() * 5), y = rng.normal() * 30;
    xy.emplace_back(x, y);
    xy.emplace_back(-x, std::round(y));
    xy.emplace_back(1 + rng.normal() * 1e-6, rng.normal() * 1e7);
  }
  const std::string count = std::to_string(xy.size());
  for (DType t : {DType::kF32, DType::kF64}) {
    const std::string type = std::string(dtype_name(t)) + "[" + count + "]";
    const ir::Subgraph g = ir::parse_subgraph("subgraph \"pow\" {\n  input X: " + type + "\n  input Y: " + type +
                                              "\n  output Z: " + type + "\n  stage \"pow\" {\n    spatial i:" + count +
                                              "\n    body pow(X[i], Y[i])\n    store Z[i] = acc0\n  }\n}\n");
    std::vector<ir::Kernel> kernels = {codegen::lower(g, PlanBuilder(g).build(), target)};
    const CompiledKernels compiled(std::move(kernels), target);
    std::vector<Tensor> bound = {Tensor(t, {static_cast<int64_t>(xy.size())}), Tensor(t, {static_cast<int64_t>(xy.size())}),
                                 Tensor()};
    for (size_t i = 0; i < xy.size(); ++i) {
      bound[0].set_f64(static_cast<int64_t>(i), xy[i].first);
      bound[1].set_f64(static_cast<int64_t>(i), xy[i].second);
    }
    ASSERT_EQ(compiled.run(0, g, bound, Rng(1)), "");
    double worst = 0;
    for (size_t i = 0; i < xy.size(); ++i) {
      const auto n = static_cast<int64_t>(i);
      const double x = bound[0].at_f64(n), y = bound[1].at_f64(n),
                   e = error_ulp(bound[2].at_f64(n), std::pow(static_cast<long double>(x), static_cast<long double>(y)), t);
      worst = std::max(worst, e);
      ASSERT_LE(e, t == DType::kF32 ? 1 : 8)
          << "pow(" << x << ", " << y << ") is " << bound[2].at_f64(n) << " in " << dtype_name(t);
    }
    std::printf("pow %s: %.2f ulp\n", std::string(dtype_name(t)).c_str(), worst);
  }
}

}  // namespace
}  // namespace tlm::test
