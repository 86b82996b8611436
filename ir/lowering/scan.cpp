// CumSum: a stage with a scan axis.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {

void lower_cumsum(NodeLowering& l) {
  Operand x = l.operand(0);
  if (x.rank() == 0) l.bad_model("a scalar operand");
  auto axis = static_cast<size_t>(l.axis(l.node.attr_int("axis", 0), x.rank()));
  StageDraft s(l.b, l.name());
  Indices at(x.shape.size());
  for (size_t d = 0; d < at.size(); ++d) {
    if (d != axis) at[d] = s.spatial("i" + std::to_string(d), x.shape[d]);
  }
  at[axis] = s.scan("t", x.shape[axis]);
  if (l.integer("reverse") != 0) at[axis] = make_int(x.shape[axis] - 1) - at[axis];
  s.combine(CombinerKind::kSum, x.at(at));
  if (l.integer("exclusive") != 0) s.exclusive();
  s.output(l.out_tensor(), at, s.acc());
  s.emit();
}

}  // namespace tlm::ir
