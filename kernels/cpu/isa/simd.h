// Vectors of f32 by the compilers' vector extensions. Included by the sources of one instruction set alone, which name it in
// TLM_ISA; no template of the standard library is used here, because its instances would be shared with code for older machines.
#pragma once

#include <cstdint>
#include <cstring>

namespace tlm::kernels::TLM_ISA {

#define TLM_INLINE inline __attribute__((always_inline))

constexpr int kLanes = TLM_LANES;
typedef float Vector __attribute__((vector_size(kLanes * 4)));
typedef int32_t IntVector __attribute__((vector_size(kLanes * 4)));

TLM_INLINE Vector load(const float* p) {
  Vector v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
TLM_INLINE void store(float* p, Vector v) { std::memcpy(p, &v, sizeof(v)); }
// Fewer than all lanes; the others are zero.
TLM_INLINE Vector load_some(const float* p, int64_t count) {
  Vector v = {};
  std::memcpy(&v, p, static_cast<size_t>(count) * sizeof(float));
  return v;
}
TLM_INLINE void store_some(float* p, Vector v, int64_t count) { std::memcpy(p, &v, static_cast<size_t>(count) * sizeof(float)); }

TLM_INLINE Vector all(float x) { return Vector{} + x; }

TLM_INLINE float sum_lanes(Vector v) {  // by halves
  float lanes[kLanes];
  std::memcpy(lanes, &v, sizeof(v));
#pragma GCC unroll 4
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}
TLM_INLINE float largest_lane(Vector v) {
  float largest = v[0];
  for (int i = 1; i < kLanes; ++i) largest = v[i] > largest ? v[i] : largest;
  return largest;
}
TLM_INLINE Vector larger(Vector a, Vector b) { return a > b ? a : b; }

// e^x of each lane, relative error below 3e-7; x is taken as at least -87 and at most 88. x = n ln 2 + r, e^r by Taylor to r^7.
TLM_INLINE Vector exponential(Vector x) {
  x = larger(x, all(-87.0f));
  x = x > all(88.0f) ? all(88.0f) : x;
  const Vector magic = all(12582912.0f);  // 1.5 · 2^23: adding it rounds to an integer
  const Vector shifted = x * 1.44269504f + magic, n = shifted - magic;
  const Vector r = x - n * 0.693359375f + n * 2.12194440e-4f;
  Vector e = r * (1.0f / 5040) + 1.0f / 720;
  e = e * r + 1.0f / 120;
  e = e * r + 1.0f / 24;
  e = e * r + 1.0f / 6;
  e = e * r + 0.5f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  IntVector bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits - 0x4b400000 + 127) << 23;  // 2^n; the bits of `magic` are 0x4b400000
  Vector power;
  std::memcpy(&power, &bits, sizeof(power));
  return e * power;
}

}  // namespace tlm::kernels::TLM_ISA
