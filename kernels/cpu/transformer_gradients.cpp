// The gradients of transformer_kernels.h. Products by Eigen, compiled for the baseline instruction set.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "tlm/kernels/cpu/transformer_kernels.h"

namespace tlm::kernels {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = Eigen::Map<RowMajor>;
using ConstMatrix = Eigen::Map<const RowMajor>;

constexpr int64_t kBlock = 64;                     // rows of the result that one task computes
constexpr float kGeluScale = 0.7978845608028654f;  // sqrt(2/π)
constexpr float kGeluCubic = 0.044715f;

template <typename Body>
void for_blocks(Executor& executor, int64_t rows, const Body& body) {  // body(first, count)
  const auto task = [&](int64_t index) { body(index * kBlock, std::min(kBlock, rows - index * kBlock)); };
  auto* address = &task;
  executor.parallel_for((rows + kBlock - 1) / kBlock,
                        [](void* context, int64_t index, int) { (**static_cast<decltype(address)*>(context))(index); }, &address);
}

}  // namespace

void linear_backward(float* dx, float* dw, float* dbias, const float* dout, const float* x, const float* w, int64_t rows,
                     int64_t k, int64_t n, Executor& executor) {
  const ConstMatrix d(dout, rows, n), in(x, rows, k), weight(w, k, n);
  // Blocks of fixed size, each by one task: the sums do not depend on the number of threads.
  if (dx)
    for_blocks(executor, rows, [&](int64_t first, int64_t count) {
      Matrix(dx, rows, k).middleRows(first, count).noalias() = d.middleRows(first, count) * weight.transpose();
    });
  for_blocks(executor, k, [&](int64_t first, int64_t count) {
    Matrix(dw, k, n).middleRows(first, count).noalias() += in.middleCols(first, count).transpose() * d;
  });
  if (dbias)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < n; ++j) dbias[j] += dout[r * n + j];
}

void layer_norm_backward(float* dx, float* dweight, float* dbias, const float* dout, const float* x, const float* weight,
                         const float* mean, const float* rstd, int64_t rows, int64_t width) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *d = dout + r * width, *row = x + r * width;
    double sum = 0, along = 0;  // means over the row of g and g · normed, g = dout · weight
    for (int64_t i = 0; i < width; ++i) {
      const float normed = (row[i] - mean[r]) * rstd[r], g = d[i] * weight[i];
      sum += g;
      along += g * normed;
      dweight[i] += d[i] * normed;
      dbias[i] += d[i];
    }
    const float s = static_cast<float>(sum / static_cast<double>(width)),
                a = static_cast<float>(along / static_cast<double>(width));
    for (int64_t i = 0; i < width; ++i) dx[r * width + i] += rstd[r] * (d[i] * weight[i] - s - (row[i] - mean[r]) * rstd[r] * a);
  }
}

void gelu_backward(float* dx, const float* dout, const float* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const float v = x[i], t = std::tanh(kGeluScale * (v + kGeluCubic * v * v * v));
    dx[i] = dout[i] * (0.5f * (1 + t) + 0.5f * v * (1 - t * t) * kGeluScale * (1 + 3 * kGeluCubic * v * v));
  }
}

void attend_backward(float* dquery, float* dkeys, float* dvalues, float* dp, const float* dout, const float* p,
                     const float* query, const float* keys, const float* values, int64_t count, int64_t stride,
                     int64_t head_width) {
  const float scale = 1 / std::sqrt(static_cast<float>(head_width));
  float mean = 0;  // Σ p · dp
  for (int64_t s = 0; s < count; ++s) {
    float sum = 0;
    for (int64_t i = 0; i < head_width; ++i) {
      sum += dout[i] * values[s * stride + i];
      dvalues[s * stride + i] += p[s] * dout[i];
    }
    dp[s] = sum;
    mean += p[s] * sum;
  }
  std::fill(dquery, dquery + head_width, 0.0f);
  for (int64_t s = 0; s < count; ++s) {
    const float d = p[s] * (dp[s] - mean) * scale;
    for (int64_t i = 0; i < head_width; ++i) {
      dquery[i] += d * keys[s * stride + i];
      dkeys[s * stride + i] += d * query[i];
    }
  }
}

}  // namespace tlm::kernels
