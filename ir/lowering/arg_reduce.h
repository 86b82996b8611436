// The place of the largest or smallest element along one dimension.
#pragma once

#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {

// tensor (i64; x's shape with extent 1 at `axis`, or without that dimension) = place; of equal elements the first or the last.
void arg_reduce_stage(NodeLowering& l, const Operand& x, int axis, bool largest, bool last, int tensor);

}  // namespace tlm::ir
