// Fast kernels against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tlm/core/rng.h"
#include "tlm/core/thread_pool.h"
#include "tlm/kernels/cpu/reference_kernels.h"
#include "tlm/kernels/cpu/transformer_kernels.h"

namespace tlm::kernels {
namespace {

std::vector<float> normal(Rng& rng, int64_t count) {
  std::vector<float> out(static_cast<size_t>(count));
  for (float& v : out) v = static_cast<float>(rng.normal());
  return out;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i)
    out = std::isfinite(a[i]) ? std::max(out, std::fabs(static_cast<double>(a[i]) - b[i])) : INFINITY;
  return out;
}

TEST(TransformerKernels, LinearAgreesAndEachRowStandsAlone) {
  Rng rng(1);
  ThreadPool pool({.width = 2});
  for (const auto& [rows, k, n] :
       std::vector<std::array<int64_t, 3>>{{1, 1, 1}, {5, 7, 3}, {13, 33, 97}, {50, 64, 192}, {29, 129, 151}}) {
    const auto x = normal(rng, rows * k), w = normal(rng, k * n), bias = normal(rng, n);
    std::vector<float> fast(static_cast<size_t>(rows * n)), plain(fast), alone(static_cast<size_t>(n));
    for (const float* b : {bias.data(), static_cast<const float*>(nullptr)}) {
      linear(fast.data(), x.data(), w.data(), b, rows, k, n, pool);
      reference::linear(plain.data(), x.data(), w.data(), b, rows, k, n);
      EXPECT_LT(largest_difference(fast, plain), 1e-5 * std::sqrt(static_cast<double>(k))) << rows << " " << k << " " << n;
      for (int64_t r = 0; r < rows; ++r) {
        linear(alone.data(), &x[static_cast<size_t>(r * k)], w.data(), b, 1, k, n, serial_executor());
        ASSERT_TRUE(std::equal(alone.begin(), alone.end(), fast.begin() + r * n)) << "row " << r << " of " << rows;
      }
    }
  }
}

TEST(TransformerKernels, LayerNormGeluAndAttentionAgree) {
  Rng rng(2);
  for (const int64_t width : {1, 6, 16, 45, 64}) {
    const int64_t rows = 9, stride = width + 3;
    const auto x = normal(rng, rows * width), weight = normal(rng, width), bias = normal(rng, width);
    std::vector<float> fast(x.size()), plain(x.size());
    layer_norm(fast.data(), nullptr, nullptr, x.data(), weight.data(), bias.data(), 1e-5f, rows, width);
    reference::layer_norm(plain.data(), x.data(), weight.data(), bias.data(), 1e-5f, rows, width);
    EXPECT_LT(largest_difference(fast, plain), 1e-5) << width;
    gelu(fast.data(), x.data(), rows * width);
    reference::gelu(plain.data(), x.data(), rows * width);
    EXPECT_LT(largest_difference(fast, plain), 1e-6) << width;

    const auto keys = normal(rng, rows * stride), values = normal(rng, rows * stride);
    std::vector<float> p(static_cast<size_t>(rows)), a(static_cast<size_t>(width)), b(a);
    for (int64_t count = 1; count <= rows; ++count) {
      attend(a.data(), p.data(), x.data(), keys.data(), values.data(), count, stride, width);
      reference::attend(b.data(), x.data(), keys.data(), values.data(), count, stride, width);
      EXPECT_LT(largest_difference(a, b), 1e-5) << width << " " << count;
    }
  }
}

TEST(TransformerKernels, GeluFarFromZero) {
  std::vector<float> x, fast, plain;
  for (float v = -40; v <= 40; v += 0.037f) x.push_back(v);
  for (const float v : {0.0f, 1e-30f, 1e4f, -1e4f, 1e20f, -1e20f}) x.push_back(v);
  fast.resize(x.size()), plain.resize(x.size());
  gelu(fast.data(), x.data(), static_cast<int64_t>(x.size()));
  reference::gelu(plain.data(), x.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(fast[i], plain[i], 1e-6 * std::max(1.0f, std::fabs(plain[i]))) << x[i];
}

}  // namespace
}  // namespace tlm::kernels
