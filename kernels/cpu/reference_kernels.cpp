#include "tlm/kernels/cpu/reference_kernels.h"

#include <Eigen/Core>
#include <cmath>

namespace tlm::kernels::reference {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::RowVectorXd;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// [rows, columns], rows `stride` floats apart.
Matrix read(const float* x, int64_t rows, int64_t columns, int64_t stride) {
  return Eigen::Map<const Floats, 0, Eigen::OuterStride<>>(x, rows, columns, Eigen::OuterStride<>(stride)).cast<double>();
}
Matrix read(const float* x, int64_t rows, int64_t columns) { return read(x, rows, columns, columns); }
Row read_row(const float* x, int64_t columns) { return read(x, 1, columns).row(0); }

void write(float* out, const Matrix& x) { Eigen::Map<Floats>(out, x.rows(), x.cols()) = x.cast<float>(); }

}  // namespace

void linear(float* out, const float* x, const float* w, const float* bias, int64_t rows, int64_t k, int64_t n) {
  Matrix y = read(x, rows, k) * read(w, k, n);
  if (bias) y.rowwise() += read_row(bias, n);
  write(out, y);
}

void layer_norm(float* out, const float* x, const float* weight, const float* bias, float epsilon, int64_t rows, int64_t width) {
  Matrix y = read(x, rows, width);
  y.colwise() -= y.rowwise().mean().eval();
  const Eigen::ArrayXd deviation = (y.array().square().rowwise().mean() + epsilon).sqrt();
  y.array().colwise() /= deviation;
  y.array().rowwise() *= read_row(weight, width).array();
  y.rowwise() += read_row(bias, width);
  write(out, y);
}

void gelu(float* out, const float* x, int64_t count) {
  const Eigen::ArrayXd v = read(x, 1, count).row(0).transpose().array();
  const double scale = std::sqrt(2.0 / 3.14159265358979323846);
  write(out, (0.5 * v * (1 + (scale * (v + 0.044715 * v.cube())).tanh())).matrix().transpose());
}

void attend(float* out, const float* query, const float* keys, const float* values, int64_t count, int64_t stride,
            int64_t head_width) {
  const double scale = 1 / std::sqrt(static_cast<double>(head_width));
  Row p = scale * read_row(query, head_width) * read(keys, count, head_width, stride).transpose();
  p = (p.array() - p.maxCoeff()).exp();
  write(out, p / p.sum() * read(values, count, head_width, stride));
}

}  // namespace tlm::kernels::reference
