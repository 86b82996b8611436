// Stages of the softmax family, for operators that contain one.
#pragma once

#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {

// Internal tensors of x's shape with extent 1 at `axis`.
Operand row_maximum(NodeLowering& l, const Operand& x, int axis);
Operand sum_of_exponentials(NodeLowering& l, const Operand& x, const Operand& max, int axis);  // Σ e^(x - max)
// tensor = x - max - log Σ e^(x - max)
void log_softmax(NodeLowering& l, const Operand& x, int axis, int tensor);

}  // namespace tlm::ir
