// What a transformer computes on a block of rows: single-threaded pieces that fit the near caches, for callers that spread blocks
// over threads. f32, row-major; `ld…` is the distance between rows in floats. One table for each instruction set; every element
// of a result is computed by the same operations in the same order wherever it lies in a block, so blocks may be cut anywhere.
#pragma once

#include <cstdint>

namespace tlm::kernels {

struct AdamWFactors {
  float beta1, beta2, epsilon;
  float scale1, scale2;  // 1 / (1 - βᵗ)
  float rate, decay;
};

struct BlockKernels {
  const char* name;

  // out[rows, n] = init + a[rows, k] · b[k, n]. `init` has rows `ld_init` apart: 0 for one row of biases, and it may be out
  // itself (accumulates); null: zero. Each sum starts from init and takes the products in ascending k.
  void (*multiply)(float* out, int64_t ld_out, const float* init, int64_t ld_init, const float* a, int64_t ld_a, const float* b,
                   int64_t ld_b, int64_t rows, int64_t k, int64_t n);
  // The same with aᵀ: a is [k, rows].
  void (*multiply_transposed)(float* out, int64_t ld_out, const float* init, int64_t ld_init, const float* a, int64_t ld_a,
                              const float* b, int64_t ld_b, int64_t rows, int64_t k, int64_t n);
  // out[columns, rows] = in[rows, columns]ᵀ.
  void (*transpose)(float* out, int64_t ld_out, const float* in, int64_t ld_in, int64_t rows, int64_t columns);
  // to[count] += from.
  void (*add)(float* to, const float* from, int64_t count);

  // out = (x - mean) · rstd · weight + bias, rstd = 1 / sqrt(variance + epsilon). mean[rows] and rstd[rows] are kept unless null.
  // out may be x.
  void (*layer_norm)(float* out, float* mean, float* rstd, const float* x, const float* weight, const float* bias, float epsilon,
                     int64_t rows, int64_t width);
  // dx = dresidual + (the gradient by x), where dout is the gradient by layer_norm's result; dx may be dresidual.
  // normed[rows, width]: that result once more. dweight[width] += …, dbias[width] += ….
  void (*layer_norm_backward)(float* dx, float* normed, float* dweight, float* dbias, const float* dresidual, const float* dout,
                              const float* x, const float* weight, const float* bias, const float* mean, const float* rstd,
                              int64_t rows, int64_t width);

  // out[count] = x/2 · (1 + tanh(sqrt(2/π) · (x + 0.044715 x³))): GELU as GPT-2 was published with. out may be x.
  void (*gelu)(float* out, const float* x, int64_t count);
  // activated[count] = gelu(x), dx[count] = dout · gelu'(x). dx may be dout.
  void (*gelu_backward)(float* activated, float* dx, const float* dout, const float* x, int64_t count);

  // scores[count] becomes exp(scale · score - largest); largest and 1 / (the sum of these) are returned. Scores of -infinity
  // become nothing.
  void (*softmax)(float* scores, float* largest, float* rsum, float scale, int64_t count);
  // The weights again, scores[count] = exp(scale · score - largest) · rsum, and dscores[count] = (dweights - along) · weight ·
  // scale.
  void (*softmax_backward)(float* scores, float* dweights, float largest, float rsum, float along, float scale, int64_t count);
  float (*dot)(const float* a, const float* b, int64_t count);
  void (*scale)(float* x, float factor, int64_t count);

  // m = β₁m + (1-β₁)g, v = β₂v + (1-β₂)g²; w -= rate · (m · scale1 / (√(v · scale2) + ε) + decay · w); all [count].
  void (*adamw)(float* w, float* m, float* v, const float* g, const AdamWFactors& factors, int64_t count);
};

// The fastest of this machine: baseline, AVX2 with FMA, or AVX-512; chosen once.
const BlockKernels& block_kernels();
// Those that run on this machine, for tests: the last one is the fastest.
struct BlockKernelList {
  const BlockKernels* of[3];
  int count;
};
BlockKernelList runnable_block_kernels();

}  // namespace tlm::kernels
