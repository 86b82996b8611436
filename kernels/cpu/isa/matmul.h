// Matrix products in register tiles.
#pragma once

#include "tlm/kernels/cpu/isa/simd.h"

namespace tlm::kernels::TLM_ISA {

// kRows × (kVectors · vector) sums in registers. kTransposed: a is [k, rows].
template <typename V, bool kTransposed, int kRows, int kVectors>
TLM_INLINE void tile(float* out, int64_t ld_out, const float* init, int64_t ld_init, const float* a, int64_t ld_a, const float* b,
                     int64_t ld_b, int64_t k) {
  constexpr int kWidth = sizeof(V) / sizeof(float);
  V sum[kRows][kVectors] = {};
  if (init)
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) std::memcpy(&sum[r][v], init + r * ld_init + v * kWidth, sizeof(V));
  for (int64_t i = 0; i < k; ++i) {
    V row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) std::memcpy(&row[v], b + i * ld_b + v * kWidth, sizeof(V));
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const float x = kTransposed ? a[i * ld_a + r] : a[r * ld_a + i];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] += x * row[v];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) std::memcpy(out + r * ld_out + v * kWidth, &sum[r][v], sizeof(V));
}

struct Product {  // the arguments of BlockKernels::multiply
  float* out;
  int64_t ld_out;
  const float* init;
  int64_t ld_init;
  const float* a;
  int64_t ld_a;
  const float* b;
  int64_t ld_b, rows, k;
};

template <typename V, bool kTransposed, int kRows, int kVectors>
TLM_INLINE void tile_at(const Product& p, int64_t r, int64_t j) {
  tile<V, kTransposed, kRows, kVectors>(p.out + r * p.ld_out + j, p.ld_out, p.init ? p.init + r * p.ld_init + j : nullptr,
                                        p.ld_init, kTransposed ? p.a + r : p.a + r * p.ld_a, p.ld_a, p.b + j, p.ld_b, p.k);
}

// The columns from j on that kVectors vectors cover.
template <typename V, bool kTransposed, int kVectors>
__attribute__((noinline)) void columns(const Product& p, int64_t j) {
  constexpr int kRows = TLM_ROWS;
  int64_t r = 0;
  for (; r + kRows <= p.rows; r += kRows) tile_at<V, kTransposed, kRows, kVectors>(p, r, j);
  switch (p.rows - r) {  // the rest in one tile, too
    case 5: tile_at<V, kTransposed, (kRows > 5 ? 5 : 1), kVectors>(p, r, j); break;
    case 4: tile_at<V, kTransposed, (kRows > 4 ? 4 : 1), kVectors>(p, r, j); break;
    case 3: tile_at<V, kTransposed, 3, kVectors>(p, r, j); break;
    case 2: tile_at<V, kTransposed, 2, kVectors>(p, r, j); break;
    case 1: tile_at<V, kTransposed, 1, kVectors>(p, r, j); break;
  }
}

// As the vectors do: fused where the instruction set has that. (Left to itself the compiler may vectorise the products of a sum
// apart from its additions.)
TLM_INLINE float multiply_add(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

template <bool kTransposed>
TLM_INLINE void multiply_any(const Product& p, int64_t n) {
  typedef float Four __attribute__((vector_size(16)));
  int64_t j = 0;
  for (; j + TLM_VECTORS * kLanes <= n; j += TLM_VECTORS * kLanes) columns<Vector, kTransposed, TLM_VECTORS>(p, j);
  if constexpr (TLM_VECTORS > 2)
    for (; j + 2 * kLanes <= n; j += 2 * kLanes) columns<Vector, kTransposed, 2>(p, j);
  for (; j + kLanes <= n; j += kLanes) columns<Vector, kTransposed, 1>(p, j);
  if constexpr (kLanes > 4)
    for (; j + 4 <= n; j += 4) columns<Four, kTransposed, 1>(p, j);
  for (; j < n; ++j)
    for (int64_t r = 0; r < p.rows; ++r) {
      float sum = p.init ? p.init[r * p.ld_init + j] : 0;
      for (int64_t i = 0; i < p.k; ++i)
        sum = multiply_add(kTransposed ? p.a[i * p.ld_a + r] : p.a[r * p.ld_a + i], p.b[i * p.ld_b + j], sum);
      p.out[r * p.ld_out + j] = sum;
    }
}

inline void multiply(float* out, int64_t ld_out, const float* init, int64_t ld_init, const float* a, int64_t ld_a, const float* b,
                     int64_t ld_b, int64_t rows, int64_t k, int64_t n) {
  multiply_any<false>({out, ld_out, init, ld_init, a, ld_a, b, ld_b, rows, k}, n);
}
inline void multiply_transposed(float* out, int64_t ld_out, const float* init, int64_t ld_init, const float* a, int64_t ld_a,
                                const float* b, int64_t ld_b, int64_t rows, int64_t k, int64_t n) {
  multiply_any<true>({out, ld_out, init, ld_init, a, ld_a, b, ld_b, rows, k}, n);
}

inline void transpose(float* out, int64_t ld_out, const float* in, int64_t ld_in, int64_t rows, int64_t columns) {
  constexpr int64_t kBlock = 16;  // both sides of a block stay in the nearest cache
  for (int64_t r = 0; r < rows; r += kBlock)
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t i = r; i < rows && i < r + kBlock; ++i) out[c * ld_out + i] = in[i * ld_in + c];
}

}  // namespace tlm::kernels::TLM_ISA
