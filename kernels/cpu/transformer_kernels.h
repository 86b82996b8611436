// What a GPT-2 computes on a CPU, in f32, row-major. The forward functions treat every row by itself, with the same operations in
// the same order: a row's result depends, bit for bit, neither on the other rows nor on the number of threads. The instruction
// set (baseline, AVX2 with FMA, AVX-512) is chosen once, at the first call; results of different instruction sets differ by
// rounding.
#pragma once

#include <cstdint>

#include "tlm/core/executor.h"

namespace tlm::kernels {

// out[rows, n] = x[rows, k] · w[k, n] + bias[n]; a null bias is zero. out overlaps nothing.
void linear(float* out, const float* x, const float* w, const float* bias, int64_t rows, int64_t k, int64_t n,
            Executor& executor);

// out[rows, width] = (x - mean) · rstd · weight[width] + bias[width], rstd = 1 / sqrt(variance + epsilon).
// mean[rows] and rstd[rows] are kept for the backward pass unless null. out may be x.
void layer_norm(float* out, float* mean, float* rstd, const float* x, const float* weight, const float* bias, float epsilon,
                int64_t rows, int64_t width);

// out[count] = x/2 · (1 + tanh(sqrt(2/π) · (x + 0.044715 x³))), the form that GPT-2 was published with. out may be x.
void gelu(float* out, const float* x, int64_t count);

// Keys and values of one head, of `count` tokens that follow one another; neighbours are `stride` floats apart.
struct KeyValues {
  const float* keys = nullptr;
  const float* values = nullptr;
  int64_t count = 0;
};

// One query of one head: out[head_width] = Σ_s p_s · values[s], p = softmax(query · keys[s] / sqrt(head_width)) over the tokens
// of `prefix`, then those of `own`: the same bits wherever the one ends and the other begins. p[prefix.count + own.count] is
// written.
void attend(float* out, float* p, const float* query, const KeyValues& prefix, const KeyValues& own, int64_t stride,
            int64_t head_width);

// The same without a prefix.
void attend(float* out, float* p, const float* query, const float* keys, const float* values, int64_t count, int64_t stride,
            int64_t head_width);

}  // namespace tlm::kernels
