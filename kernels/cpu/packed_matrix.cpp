#include "tlm/kernels/cpu/packed_matrix.h"

namespace tlm::kernels {

float* PackedMatrix::resize(int64_t k, int64_t n) {
  k_ = k;
  n_ = n;
  data_.reserve(static_cast<size_t>(panels() * k * kPanel));
  return data_.data();
}

void PackedMatrix::pack(const float* w, int64_t k, int64_t n) {
  float* to = resize(k, n);
  for (int64_t first = 0; first < n; first += kPanel)
    for (int64_t i = 0; i < k; ++i, to += kPanel) std::copy_n(w + i * n + first, std::min(kPanel, n - first), to);
}

void PackedMatrix::pack_transposed(const float* w, int64_t k, int64_t n) {
  float* to = resize(k, n);
  for (int64_t first = 0; first < n; first += kPanel, to += k * kPanel)
    block_kernels().transpose(to, kPanel, w + first * k, k, std::min(kPanel, n - first), k);
}

}  // namespace tlm::kernels
