// The kernels of every instruction set that runs here, against plain loops.
#include "tlm/kernels/cpu/block_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tlm/core/rng.h"
#include "tlm/kernels/cpu/packed_matrix.h"
#include "tlm/kernels/cpu/reference_kernels.h"

namespace tlm::kernels {
namespace {

using Floats = std::vector<float>;

Floats normal(Rng& rng, int64_t count) {
  Floats out(static_cast<size_t>(count));
  for (float& v : out) v = static_cast<float>(rng.normal());
  return out;
}

double difference(const Floats& a, const Floats& b) {
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i)
    out = std::isfinite(a[i]) ? std::max(out, std::fabs(static_cast<double>(a[i]) - b[i])) : INFINITY;
  return out;
}

class BlockKernelTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() >= runnable_block_kernels().count) GTEST_SKIP() << "this machine lacks the instruction set";
    k = runnable_block_kernels().of[GetParam()];
  }
  const BlockKernels* k = nullptr;
};
INSTANTIATE_TEST_SUITE_P(InstructionSets, BlockKernelTest, ::testing::Values(0, 1, 2));

TEST_P(BlockKernelTest, ProductsAgreeAndAnElementDoesNotDependOnItsPlace) {
  Rng rng(1);
  for (const auto& [rows, depth, n] : std::vector<std::array<int64_t, 3>>{
           {1, 1, 1}, {5, 7, 3}, {6, 9, 4}, {13, 33, 97}, {50, 64, 192}, {29, 129, 151}, {4, 3, 64}, {3, 200, 48}, {2, 5, 35}}) {
    const Floats a = normal(rng, rows * depth), b = normal(rng, depth * n), bias = normal(rng, n);
    Floats across(a.size()), plain(static_cast<size_t>(rows * n)), fast(plain), other(plain);
    k->transpose(across.data(), rows, a.data(), depth, rows, depth);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < depth; ++i)
        ASSERT_EQ(across[static_cast<size_t>(i * rows + r)], a[static_cast<size_t>(r * depth + i)]);
    reference::linear(plain.data(), a.data(), b.data(), bias.data(), rows, depth, n);
    k->multiply(fast.data(), n, bias.data(), 0, a.data(), depth, b.data(), n, rows, depth, n);
    EXPECT_LT(difference(fast, plain), 1e-5 * std::sqrt(static_cast<double>(depth))) << rows << " " << depth << " " << n;
    // The same bits from the transposed operand, from a packed one, from one row or column at a time, from a sum in two parts.
    k->multiply_transposed(other.data(), n, bias.data(), 0, across.data(), rows, b.data(), n, rows, depth, n);
    EXPECT_EQ(other, fast);
    PackedMatrix packed;
    packed.pack(b.data(), depth, n);
    packed.multiply(*k, other.data(), n, bias.data(), 0, a.data(), depth, rows);
    EXPECT_EQ(other, fast);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < n; ++j)
        k->multiply(&other[static_cast<size_t>(r * n + j)], n, &bias[static_cast<size_t>(j)], 0,
                    &a[static_cast<size_t>(r * depth)], depth, &b[static_cast<size_t>(j)], n, 1, depth, 1);
    EXPECT_EQ(other, fast);
    const int64_t half = depth / 2;
    k->multiply(other.data(), n, bias.data(), 0, a.data(), depth, b.data(), n, rows, half, n);
    k->multiply(other.data(), n, other.data(), n, a.data() + half, depth, b.data() + half * n, n, rows, depth - half, n);
    EXPECT_EQ(other, fast);
    // No bias, and wᵀ packed.
    reference::linear(plain.data(), a.data(), b.data(), nullptr, rows, depth, n);
    Floats b_across(b.size());
    k->transpose(b_across.data(), depth, b.data(), n, depth, n);
    packed.pack_transposed(b_across.data(), depth, n);
    packed.multiply(*k, other.data(), n, nullptr, 0, a.data(), depth, rows);
    EXPECT_LT(difference(other, plain), 1e-5 * std::sqrt(static_cast<double>(depth)));
  }
}

TEST_P(BlockKernelTest, LayerNormAndItsGradient) {
  Rng rng(2);
  for (const int64_t width : {2, 6, 16, 45, 64}) {
    const int64_t rows = 5;
    const Floats x = normal(rng, rows * width), weight = normal(rng, width), bias = normal(rng, width),
                 dout = normal(rng, rows * width), dresidual = normal(rng, rows * width);
    Floats out(x.size()), plain(x.size()), mean(rows), rstd(rows);
    k->layer_norm(out.data(), mean.data(), rstd.data(), x.data(), weight.data(), bias.data(), 1e-5f, rows, width);
    reference::layer_norm(plain.data(), x.data(), weight.data(), bias.data(), 1e-5f, rows, width);
    EXPECT_LT(difference(out, plain), 1e-5 * (1 + *std::max_element(rstd.begin(), rstd.end()))) << width;

    Floats dx(x.size()), normed(x.size()), dweight(weight.size()), dbias(bias.size());
    k->layer_norm_backward(dx.data(), normed.data(), dweight.data(), dbias.data(), dresidual.data(), dout.data(), x.data(),
                           weight.data(), bias.data(), mean.data(), rstd.data(), rows, width);
    EXPECT_EQ(normed, out);
    if (width == 2) continue;  // the result is ±1, whatever x is: differences say nothing
    const auto along = [&](const Floats& at, const Floats& w, const Floats& b) {  // Σ dout · result
      Floats result(x.size());
      reference::layer_norm(result.data(), at.data(), w.data(), b.data(), 1e-5f, rows, width);
      double sum = 0;
      for (size_t i = 0; i < result.size(); ++i) sum += static_cast<double>(dout[i]) * result[i];
      return sum;
    };
    const double h = 5e-3;
    for (size_t i = 0; i < x.size(); ++i) {
      Floats up = x, down = x;
      up[i] += static_cast<float>(h), down[i] -= static_cast<float>(h);
      const double expected = (along(up, weight, bias) - along(down, weight, bias)) / (up[i] - down[i]);
      EXPECT_NEAR(dx[i] - dresidual[i], expected, 5e-3 + 5e-3 * std::fabs(expected)) << width << " " << i;
    }
    for (size_t i = 0; i < weight.size(); ++i) {  // the result is linear in weight and bias
      double by_weight = 0, by_bias = 0;
      for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
        const size_t at = r * weight.size() + i;
        by_weight += static_cast<double>(dout[at]) * (x[at] - mean[r]) * rstd[r];
        by_bias += dout[at];
      }
      EXPECT_NEAR(dweight[i], by_weight, 1e-4);
      EXPECT_NEAR(dbias[i], by_bias, 1e-5);
    }
  }
}

TEST_P(BlockKernelTest, GeluAndItsGradientFarFromZeroToo) {
  Floats x;
  for (float v = -40; v <= 40; v += 0.037f) x.push_back(v);
  for (const float v : {0.0f, 1e-30f, 1e4f, -1e4f}) x.push_back(v);
  const int64_t count = static_cast<int64_t>(x.size());
  Floats fast(x.size()), plain(x.size()), activated(x.size()), dx(x.size(), 1.0f);
  k->gelu(fast.data(), x.data(), count);
  reference::gelu(plain.data(), x.data(), count);
  k->gelu_backward(activated.data(), dx.data(), dx.data(), x.data(), count);
  EXPECT_EQ(activated, fast);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(fast[i], plain[i], 1e-6 * std::max(1.0f, std::fabs(plain[i]))) << x[i];
    const double v = x[i], scale = std::sqrt(2.0 / 3.14159265358979323846), t = std::tanh(scale * (v + 0.044715 * v * v * v));
    EXPECT_NEAR(dx[i], 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * scale * (1 + 3 * 0.044715 * v * v), 2e-6) << x[i];
  }
}

TEST_P(BlockKernelTest, SoftmaxAndItsGradient) {
  Rng rng(3);
  for (const int64_t count : {1, 7, 16, 45}) {
    Floats scores = normal(rng, count), backward = scores, dweights = normal(rng, count);
    if (count > 5) scores[3] = backward[3] = -INFINITY;
    const Floats given = scores, upstream = dweights;
    const float scale = 0.7f;
    float largest = 0, rsum = 0, along = 0;
    k->softmax(scores.data(), &largest, &rsum, scale, count);
    double top = -INFINITY, sum = 0;
    for (const float s : given) top = std::max(top, static_cast<double>(s) * scale);
    for (const float s : given) sum += std::exp(static_cast<double>(s) * scale - top);
    for (size_t i = 0; i < given.size(); ++i)
      EXPECT_NEAR(scores[i] * rsum, std::exp(static_cast<double>(given[i]) * scale - top) / sum, 1e-6);
    for (size_t i = 0; i < given.size(); ++i) along += scores[i] * rsum * upstream[i];
    k->softmax_backward(backward.data(), dweights.data(), largest, rsum, along, scale, count);
    for (size_t i = 0; i < given.size(); ++i) {
      EXPECT_NEAR(backward[i], scores[i] * rsum, 1e-6);
      EXPECT_NEAR(dweights[i], backward[i] * (upstream[i] - along) * scale, 1e-6);
    }
    if (count > 5) {
      EXPECT_EQ(backward[3], 0);
    }
    EXPECT_NEAR(k->dot(given.data() + count - 1, upstream.data() + count - 1, 1), given.back() * upstream.back(), 1e-6);
  }
}

}  // namespace
}  // namespace tlm::kernels
