#include "tlm/kernels/cpu/reference_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tlm::kernels::reference {

void linear(float* out, const float* x, const float* w, const float* bias, int64_t rows, int64_t k, int64_t n) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < n; ++j) {
      double sum = bias ? bias[j] : 0.0;
      for (int64_t i = 0; i < k; ++i) sum += static_cast<double>(x[r * k + i]) * w[i * n + j];
      out[r * n + j] = static_cast<float>(sum);
    }
}

void layer_norm(float* out, const float* x, const float* weight, const float* bias, float epsilon, int64_t rows, int64_t width) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x + r * width;
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < width; ++i) mean += row[i];
    mean /= static_cast<double>(width);
    for (int64_t i = 0; i < width; ++i) variance += (row[i] - mean) * (row[i] - mean);
    variance /= static_cast<double>(width);
    for (int64_t i = 0; i < width; ++i)
      out[r * width + i] = static_cast<float>((row[i] - mean) / std::sqrt(variance + epsilon) * weight[i] + bias[i]);
  }
}

void gelu(float* out, const float* x, int64_t count) {
  const double scale = std::sqrt(2.0 / 3.14159265358979323846);
  for (int64_t i = 0; i < count; ++i) {
    const double v = x[i];
    out[i] = static_cast<float>(0.5 * v * (1 + std::tanh(scale * (v + 0.044715 * v * v * v))));
  }
}

void attend(float* out, const float* query, const float* keys, const float* values, int64_t count, int64_t stride,
            int64_t head_width) {
  std::vector<double> p(static_cast<size_t>(count));
  double largest = -std::numeric_limits<double>::infinity(), total = 0;
  for (int64_t s = 0; s < count; ++s) {
    double dot = 0;
    for (int64_t i = 0; i < head_width; ++i) dot += static_cast<double>(query[i]) * keys[s * stride + i];
    p[static_cast<size_t>(s)] = dot / std::sqrt(static_cast<double>(head_width));
    largest = std::max(largest, p[static_cast<size_t>(s)]);
  }
  for (double& v : p) total += v = std::exp(v - largest);
  for (int64_t i = 0; i < head_width; ++i) {
    double sum = 0;
    for (int64_t s = 0; s < count; ++s) sum += p[static_cast<size_t>(s)] / total * values[s * stride + i];
    out[i] = static_cast<float>(sum);
  }
}

}  // namespace tlm::kernels::reference
