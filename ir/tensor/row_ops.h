// Operators on rows of values: plain typed loops that the compiler vectorises. Rows hold float (f16, bf16, f32), double (f64) or
// int64_t (integers and bool, canonical as in scalar.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {

enum class Lane : uint8_t { kFloat, kDouble, kInt };
Lane lane_of(DType t);
size_t lane_size(Lane l);

struct Operand {
  const void* data = nullptr;
  bool uniform = false;  // one value for the whole row
};

// dst[i] = op(a[i], b[i], c[i]) for i < n; dst may be one of the operands. `t` is the type of the operands.
void row_op(Op op, DType t, void* dst, const Operand* args, int64_t n);
void row_cast(DType from, DType to, void* dst, Operand a, int64_t n);
// acc[i] += a[i]*b[i], the product rounded before the sum. f32 only.
void row_multiply_add(float* acc, Operand a, Operand b, int64_t n);
void row_fill(Lane l, void* dst, const void* value, int64_t n);
void row_blend(Lane l, void* dst, const int64_t* condition, Operand a, Operand b, int64_t n);

// Elements of storage to and from rows. data points at element 0; offset (if not null) gives each lane's element, else lane i is
// element i·stride.
void row_load(DType t, void* dst, const std::byte* data, const int64_t* offset, int64_t stride, int64_t n);
void row_store(DType t, std::byte* data, const int64_t* offset, int64_t stride, Operand a, int64_t n);
// The same for lanes with mask[i] != 0; others become 0. offset must be given.
void row_load_masked(DType t, void* dst, const std::byte* data, const int64_t* offset, const uint8_t* mask, int64_t n);

}  // namespace tlm::ir
