// What a GPT-2 computes, written with Eigen as one reads it, sums in f64: what the functions of block_kernels.h are compared
// with.
#pragma once

#include <cstdint>

namespace tlm::kernels::reference {

// out [rows, n] = x [rows, k] · w [k, n] + bias [n]; bias may be null.
void linear(float* out, const float* x, const float* w, const float* bias, int64_t rows, int64_t k, int64_t n);
// Rows of x [rows, width] to mean 0 and variance 1, times weight [width], plus bias [width].
void layer_norm(float* out, const float* x, const float* weight, const float* bias, float epsilon, int64_t rows, int64_t width);
// The tanh form (Hendrycks and Gimpel, 2016).
void gelu(float* out, const float* x, int64_t count);
// One query [head_width] over `count` keys and values, rows `stride` floats apart: softmax(q·k / √head_width) · v.
void attend(float* out, const float* query, const float* keys, const float* values, int64_t count, int64_t stride,
            int64_t head_width);

}  // namespace tlm::kernels::reference
