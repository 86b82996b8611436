// Functions of rows and of elements.
#pragma once

#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/kernels/cpu/isa/simd.h"

namespace tlm::kernels::TLM_ISA {

// f(loads, stores) on the vectors of `count` elements: load(p + i) and store(p + i, v) of whole vectors, and of a part at the
// end.
template <typename F>
TLM_INLINE void map(int64_t count, const F& f) {
  int64_t i = 0;
  const auto whole_load = [&](const float* p) __attribute__((always_inline)) { return load(p + i); };
  const auto whole_store = [&](float* p, Vector v) __attribute__((always_inline)) { store(p + i, v); };
  for (; i + kLanes <= count; i += kLanes) f(whole_load, whole_store);
  if (i == count) return;
  const auto part_load = [&](const float* p) __attribute__((always_inline)) { return load_some(p + i, count - i); };
  const auto part_store = [&](float* p, Vector v) __attribute__((always_inline)) { store_some(p + i, v, count - i); };
  f(part_load, part_store);
}
#define TLM_EACH [&](auto load, auto store) __attribute__((always_inline))
// For what needs no store.
#define TLM_READ [&](auto load, auto) __attribute__((always_inline))

inline void add(float* to, const float* from, int64_t count) {
  map(
      count, TLM_EACH { store(to, load(to) + load(from)); });
}
inline void scale(float* x, float factor, int64_t count) {
  map(
      count, TLM_EACH { store(x, load(x) * factor); });
}
inline float dot(const float* a, const float* b, int64_t count) {
  Vector sum = {};
  map(
      count, TLM_READ { sum += load(a) * load(b); });
  return sum_lanes(sum);
}

inline float root(float x) { return __builtin_sqrtf(x); }

inline void layer_norm(float* out, float* mean, float* rstd, const float* x, const float* weight, const float* bias,
                       float epsilon, int64_t rows, int64_t width) {
  const float share = 1 / static_cast<float>(width);
  const int64_t whole = width / kLanes * kLanes;
  for (int64_t r = 0; r < rows; ++r, x += width, out += width) {
    Vector sum = {}, squares = {};
    map(
        width, TLM_READ { sum += load(x); });
    const float center = sum_lanes(sum) * share;
    for (int64_t i = 0; i < whole; i += kLanes) {
      const Vector d = load(x + i) - center;
      squares += d * d;
    }
    float total = sum_lanes(squares);
    for (int64_t i = whole; i < width; ++i) total += (x[i] - center) * (x[i] - center);
    const float factor = 1 / root(total * share + epsilon);
    if (mean) mean[r] = center;
    if (rstd) rstd[r] = factor;
    map(
        width, TLM_EACH { store(out, (load(x) - center) * factor * load(weight) + load(bias)); });
  }
}

inline void layer_norm_backward(float* dx, float* normed, float* dweight, float* dbias, const float* dresidual, const float* dout,
                                const float* x, const float* weight, const float* bias, const float* mean, const float* rstd,
                                int64_t rows, int64_t width) {
  const float share = 1 / static_cast<float>(width);
  for (int64_t r = 0; r < rows; ++r, x += width, dx += width, normed += width, dresidual += width, dout += width) {
    const float center = mean[r], factor = rstd[r];
    Vector sum = {}, along = {};  // over the row, of g and g · unit; g = dout · weight, unit = (x - mean) · rstd
    map(
        width, TLM_READ {  // beyond the width dout, and so g, is zero
          const Vector g = load(dout) * load(weight);
          sum += g;
          along += g * ((load(x) - center) * factor);
        });
    const float s = sum_lanes(sum) * share, a = sum_lanes(along) * share;
    map(
        width, TLM_EACH {
          const Vector unit = (load(x) - center) * factor, d = load(dout), w = load(weight);
          store(normed, unit * w + load(bias));
          store(dweight, load(dweight) + d * unit);
          store(dbias, load(dbias) + d);
          store(dx, load(dresidual) + (d * w - s - unit * a) * factor);
        });
  }
}

constexpr float kGeluScale = 0.7978845608028654f;  // sqrt(2/π)
constexpr float kGeluCubic = 0.044715f;

// x/2 · (1 + tanh u) = x · share, share = 1 / (1 + e^(-2u)).
TLM_INLINE Vector gelu_share(Vector x) { return 1.0f / (exponential((x + x * x * x * kGeluCubic) * (-2 * kGeluScale)) + 1.0f); }

inline void gelu(float* out, const float* x, int64_t count) {
  map(
      count, TLM_EACH {
        const Vector v = load(x);
        store(out, v * gelu_share(v));
      });
}
// The derivative of x · share is share + x · share · (1 - share) · 2u'.
inline void gelu_backward(float* activated, float* dx, const float* dout, const float* x, int64_t count) {
  map(
      count, TLM_EACH {
        const Vector v = load(x), share = gelu_share(v), result = v * share;
        const Vector slope = (v * v * (3 * kGeluCubic) + 1.0f) * (2 * kGeluScale);
        store(dx, load(dout) * (share + result * (1.0f - share) * slope));
        store(activated, result);
      });
}

inline void softmax(float* scores, float* largest, float* rsum, float scale, int64_t count) {
  const Vector none = all(-__builtin_inff());
  Vector most = none;
  const int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) most = larger(load(scores + i), most);
  float top = largest_lane(most);
  for (int64_t i = whole; i < count; ++i) top = scores[i] > top ? scores[i] : top;
  top *= scale;
  Vector sum = {};
  for (int64_t i = 0; i < whole; i += kLanes) {
    const Vector v = load(scores + i), e = v > none ? exponential(v * scale - top) : Vector{};
    store(scores + i, e);
    sum += e;
  }
  if (whole < count) {  // lanes beyond the end count for nothing
    Vector v = none;
    std::memcpy(&v, scores + whole, static_cast<size_t>(count - whole) * sizeof(float));
    const Vector e = v > none ? exponential(v * scale - top) : Vector{};
    store_some(scores + whole, e, count - whole);
    sum += e;
  }
  *largest = top;
  *rsum = 1 / sum_lanes(sum);
}

inline void softmax_backward(float* scores, float* dweights, float largest, float rsum, float along, float scale, int64_t count) {
  const Vector none = all(-__builtin_inff());
  map(
      count, TLM_EACH {
        const Vector v = load(scores);
        const Vector weight = v > none ? exponential(v * scale - largest) * rsum : Vector{};
        store(scores, weight);
        store(dweights, (load(dweights) - along) * weight * scale);
      });
}

inline void adamw(float* __restrict w, float* __restrict m, float* __restrict v, const float* __restrict g,
                  const AdamWFactors& factors, int64_t count) {
  const AdamWFactors f = factors;
  for (int64_t i = 0; i < count; ++i) {  // the compiler's vectors: they have square roots
    m[i] = f.beta1 * m[i] + (1 - f.beta1) * g[i];
    v[i] = f.beta2 * v[i] + (1 - f.beta2) * g[i] * g[i];
    w[i] -= f.rate * (m[i] * f.scale1 / (root(v[i] * f.scale2) + f.epsilon) + f.decay * w[i]);
  }
}

#undef TLM_EACH
#undef TLM_READ

}  // namespace tlm::kernels::TLM_ISA
