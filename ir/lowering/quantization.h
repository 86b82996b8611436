// Linear quantization: what the operators on quantized values share.
#pragma once

#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {

// A scale or zero point: a scalar, or one for each channel.
Expr read_parameter(const Operand& p, const Expr& channel);

struct ZeroPoint {
  Operand value;  // `at` empty: 0
  // value - zero, in i32.
  Expr subtract(const Expr& x, const Expr& channel) const;
  // The zero point as a value of type t.
  Expr stored(const Expr& channel, DType t) const;
};
// Input i, if present.
ZeroPoint zero_point(const NodeLowering& l, int i);

// saturate(round(x) + zero) as type t (an integer of 8 or 16 bits); x is a float; an empty `zero` is 0.
Expr quantized(const Expr& x, const Expr& zero, DType t);

}  // namespace tlm::ir
