#include "tlm/kernels/cpu/transformer_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tlm::kernels {
namespace {

#define TLM_INLINE inline __attribute__((always_inline))

template <int kLanes>
struct VectorOf {
  typedef float Type __attribute__((vector_size(kLanes * 4)));
};

constexpr int64_t kTaskRows = 24;  // rows of one task of `linear`: a multiple of every variant's tile

// kRows × (kVectors · kLanes) sums in registers. Each sum starts from the bias and takes the products in ascending k.
template <int kLanes, int kRows, int kVectors>
TLM_INLINE void tile(float* out, const float* x, const float* w, const float* bias, int64_t k, int64_t n) {
  using Vector = typename VectorOf<kLanes>::Type;
  Vector sum[kRows][kVectors] = {};
  if (bias)
    for (int r = 0; r < kRows; ++r) std::memcpy(sum[r], bias, sizeof(sum[r]));
  for (int64_t i = 0; i < k; ++i) {
    Vector b[kVectors];
    std::memcpy(b, w + i * n, sizeof(b));
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] += x[r * k + i] * b[v];
  }
  for (int r = 0; r < kRows; ++r) std::memcpy(out + r * n, sum[r], sizeof(sum[r]));
}

template <int kLanes, int kRows, int kVectors>
TLM_INLINE void columns(float* out, const float* x, const float* w, const float* bias, int64_t rows, int64_t k, int64_t n) {
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) tile<kLanes, kRows, kVectors>(out + r * n, x + r * k, w, bias, k, n);
  for (; r < rows; ++r) tile<kLanes, 1, kVectors>(out + r * n, x + r * k, w, bias, k, n);
}

template <int kLanes, int kRows, int kVectors>
TLM_INLINE void linear_rows(float* out, const float* x, const float* w, const float* bias, int64_t rows, int64_t k, int64_t n) {
  int64_t j = 0;
  const auto at = [&](int64_t column) { return bias ? bias + column : nullptr; };
  for (; j + kLanes * kVectors <= n; j += kLanes * kVectors)
    columns<kLanes, kRows, kVectors>(out + j, x, w + j, at(j), rows, k, n);
  for (; j + kLanes <= n; j += kLanes) columns<kLanes, kRows, 1>(out + j, x, w + j, at(j), rows, k, n);
  for (; j + 4 <= n; j += 4) columns<4, kRows, 1>(out + j, x, w + j, at(j), rows, k, n);
  for (; j < n; ++j)
    for (int64_t r = 0; r < rows; ++r) {
      float sum = bias ? bias[j] : 0;
      for (int64_t i = 0; i < k; ++i) sum += x[r * k + i] * w[i * n + j];
      out[r * n + j] = sum;
    }
}

template <int kLanes>
TLM_INLINE float dot(const float* a, const float* b, int64_t n) {
  using Vector = typename VectorOf<kLanes>::Type;
  Vector sum = {}, x, y;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    std::memcpy(&x, a + i, sizeof(x));
    std::memcpy(&y, b + i, sizeof(y));
    sum += x * y;
  }
  float total = 0;
  for (int lane = 0; lane < kLanes; ++lane) total += sum[lane];
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

template <int kLanes>
TLM_INLINE void add_scaled(float* out, float scale, const float* x, int64_t n) {  // out += scale · x
  using Vector = typename VectorOf<kLanes>::Type;
  Vector a, b;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    std::memcpy(&a, out + i, sizeof(a));
    std::memcpy(&b, x + i, sizeof(b));
    a += scale * b;
    std::memcpy(out + i, &a, sizeof(a));
  }
  for (; i < n; ++i) out[i] += scale * x[i];
}

// e^x of each lane, relative error below 3e-7; x is taken as at least -87 and at most 88. x = n ln 2 + r, e^r by Taylor to r^7.
template <int kLanes>
TLM_INLINE void exponential(typename VectorOf<kLanes>::Type& x) {
  using Vector = typename VectorOf<kLanes>::Type;
  typedef int32_t Ints __attribute__((vector_size(kLanes * 4)));
  const Vector least = Vector{} - 87.0f, most = Vector{} + 88.0f;
  x = x < least ? least : x;
  x = x > most ? most : x;
  const Vector magic = Vector{} + 12582912.0f;  // 1.5 · 2^23: adding it rounds to an integer
  const Vector shifted = x * 1.44269504f + magic, n = shifted - magic;
  const Vector r = x - n * 0.693359375f + n * 2.12194440e-4f;
  Vector e = r * (1.0f / 5040) + 1.0f / 720;
  e = e * r + 1.0f / 120;
  e = e * r + 1.0f / 24;
  e = e * r + 1.0f / 6;
  e = e * r + 0.5f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  Ints bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits - 0x4b400000 + 127) << 23;  // 2^n; the bits of `magic` are 0x4b400000
  Vector power;
  std::memcpy(&power, &bits, sizeof(power));
  x = e * power;
}

// Calls f on whole vectors of in[count], the last one filled up with zeros, and stores what it leaves in them: every element
// takes the same path.
template <int kLanes, typename F>
TLM_INLINE void map_vectors(float* out, const float* in, int64_t count, const F& f) {
  typename VectorOf<kLanes>::Type v;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::memcpy(&v, in + i, sizeof(v));
    f(v);
    std::memcpy(out + i, &v, sizeof(v));
  }
  if (i == count) return;
  v = typename VectorOf<kLanes>::Type{};
  std::memcpy(&v, in + i, static_cast<size_t>(count - i) * sizeof(float));
  f(v);
  std::memcpy(out + i, &v, static_cast<size_t>(count - i) * sizeof(float));
}

constexpr float kGeluScale = 0.7978845608028654f;  // sqrt(2/π)
constexpr float kGeluCubic = 0.044715f;

// x/2 · (1 + tanh u) = x / (1 + e^(-2u)).
template <int kLanes>
TLM_INLINE void gelu_with(float* out, const float* x, int64_t count) {
  using Vector = typename VectorOf<kLanes>::Type;
  map_vectors<kLanes>(
      out, x, count, [](Vector & v) __attribute__((always_inline)) {
        Vector e = (v + v * v * v * kGeluCubic) * (-2 * kGeluScale);
        exponential<kLanes>(e);
        v = v / (e + 1.0f);
      });
}

template <int kLanes>
TLM_INLINE void attend_with(float* out, float* p, const float* query, const KeyValues& prefix, const KeyValues& own,
                            int64_t stride, int64_t head_width) {
  const float scale = 1 / std::sqrt(static_cast<float>(head_width));
  const int64_t count = prefix.count + own.count;
  float largest = -INFINITY, total = 0;
  float* next = p;
  for (const KeyValues* part : {&prefix, &own})
    for (int64_t s = 0; s < part->count; ++s)
      largest = std::max(largest, *next++ = dot<kLanes>(query, part->keys + s * stride, head_width) * scale);
  using Vector = typename VectorOf<kLanes>::Type;
  map_vectors<kLanes>(
      p, p, count, [largest](Vector & v) __attribute__((always_inline)) {
        v -= largest;
        exponential<kLanes>(v);
      });
  for (int64_t s = 0; s < count; ++s) total += p[s];
  std::fill(out, out + head_width, 0.0f);
  next = p;
  for (const KeyValues* part : {&prefix, &own})
    for (int64_t s = 0; s < part->count; ++s, ++next)
      add_scaled<kLanes>(out, *next /= total, part->values + s * stride, head_width);
}

struct Variant {
  void (*linear)(float*, const float*, const float*, const float*, int64_t, int64_t, int64_t);
  void (*attend)(float*, float*, const float*, const KeyValues&, const KeyValues&, int64_t, int64_t);
  void (*gelu)(float*, const float*, int64_t);
};

// The same sources compiled for one instruction set.
#define TLM_VARIANT(name, attributes, lanes, rows, vectors)                                                              \
  attributes void linear_##name(float* out, const float* x, const float* w, const float* bias, int64_t r, int64_t k,     \
                                int64_t n) {                                                                             \
    linear_rows<lanes, rows, vectors>(out, x, w, bias, r, k, n);                                                         \
  }                                                                                                                      \
  attributes void attend_##name(float* out, float* p, const float* query, const KeyValues& prefix, const KeyValues& own, \
                                int64_t stride, int64_t head_width) {                                                    \
    attend_with<(lanes > 8 ? 8 : lanes)>(out, p, query, prefix, own, stride, head_width);                                \
  }                                                                                                                      \
  attributes void gelu_##name(float* out, const float* x, int64_t count) { gelu_with<lanes>(out, x, count); }            \
  constexpr Variant k_##name = {linear_##name, attend_##name, gelu_##name};

TLM_VARIANT(baseline, , 4, 4, 2)
#if defined(__x86_64__)
TLM_VARIANT(avx2, __attribute__((target("avx2,fma"))), 8, 6, 2)
TLM_VARIANT(avx512, __attribute__((target("avx512f,avx512vl,avx512dq,fma"))), 16, 6, 4)
#endif

Variant best_variant() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return k_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return k_avx2;
#endif
  return k_baseline;
}

const Variant& variant() {
  static const Variant best = best_variant();
  return best;
}

}  // namespace

void linear(float* out, const float* x, const float* w, const float* bias, int64_t rows, int64_t k, int64_t n,
            Executor& executor) {
  const auto task = [&](int64_t index) {
    const int64_t first = index * kTaskRows, count = std::min(kTaskRows, rows - first);
    variant().linear(out + first * n, x + first * k, w, bias, count, k, n);
  };
  executor.parallel_for((rows + kTaskRows - 1) / kTaskRows,
                        [](void* context, int64_t index, int) { (*static_cast<decltype(task)*>(context))(index); },
                        const_cast<void*>(static_cast<const void*>(&task)));
}

void layer_norm(float* out, float* mean, float* rstd, const float* x, const float* weight, const float* bias, float epsilon,
                int64_t rows, int64_t width) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x + r * width;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < width; ++i) sum += row[i];
    const double m = sum / static_cast<double>(width);
    for (int64_t i = 0; i < width; ++i) squares += (row[i] - m) * (row[i] - m);
    const float center = static_cast<float>(m);
    const float scale = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(width) + epsilon));
    if (mean) mean[r] = center;
    if (rstd) rstd[r] = scale;
    for (int64_t i = 0; i < width; ++i) out[r * width + i] = (row[i] - center) * scale * weight[i] + bias[i];
  }
}

void gelu(float* out, const float* x, int64_t count) { variant().gelu(out, x, count); }

void attend(float* out, float* p, const float* query, const KeyValues& prefix, const KeyValues& own, int64_t stride,
            int64_t head_width) {
  variant().attend(out, p, query, prefix, own, stride, head_width);
}

void attend(float* out, float* p, const float* query, const float* keys, const float* values, int64_t count, int64_t stride,
            int64_t head_width) {
  attend(out, p, query, {}, {keys, values, count}, stride, head_width);
}

}  // namespace tlm::kernels
