// The meaning of every operator on single values: shared by the expression builders (literals fold) and the interpreter.
#pragma once

#include <cstdint>

#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {

// A value of any element type. Integers and bool are held canonically (sign- or zero-extended; u64 as its bits), floats as the
// double that equals them (f16, bf16 and f32 are exact in double).
union Scalar {
  int64_t i;
  double f;
};

int64_t wrap_int(int64_t v, DType t);   // to the canonical form of an integer type; bool: v != 0
double round_float(double v, DType t);  // to the nearest value of the float type (f16, bf16: by way of f32)
Scalar cast_scalar(Scalar v, DType from, DType to);
// kAdd … kIsInf except kSelect and kCast. `t` is the type of the arguments; the result is of type t, or kBool where
// result_type says so.
Scalar apply(Op op, DType t, const Scalar* args);

}  // namespace tlm::ir
