// The forward functions of transformer_kernels.h as plain loops that sum in f64: what the fast ones are compared with.
#pragma once

#include <cstdint>

namespace tlm::kernels::reference {

void linear(float* out, const float* x, const float* w, const float* bias, int64_t rows, int64_t k, int64_t n);
void layer_norm(float* out, const float* x, const float* weight, const float* bias, float epsilon, int64_t rows, int64_t width);
void gelu(float* out, const float* x, int64_t count);
void attend(float* out, const float* query, const float* keys, const float* values, int64_t count, int64_t stride,
            int64_t head_width);

}  // namespace tlm::kernels::reference
