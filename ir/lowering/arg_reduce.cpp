#include "tlm/ir/lowering/arg_reduce.h"

#include <limits>

#include "tlm/ir/lowering/families.h"

namespace tlm::ir {

void arg_reduce_stage(NodeLowering& l, const Operand& x, int axis, bool largest, bool last, int tensor) {
  if (x.shape[static_cast<size_t>(axis)] == 0) l.bad_model("the largest element of an empty dimension");
  DType t = x.dtype;
  // A tuple of value and place: the order of combination does not matter, because equal values are decided by their places.
  Combiner c;
  c.kind = CombinerKind::kTuple;
  Expr value = make_acc(0, t), place = make_acc(1, DType::kI64), new_value = make_acc(2, t), new_place = make_acc(3, DType::kI64);
  Expr wins = largest ? less(value, new_value) : less(new_value, value);
  Expr tie = both(equals(value, new_value), last ? less(place, new_place) : less(new_place, place));
  Expr better = make_op(Op::kOr, {wins, tie});
  using Limits = std::numeric_limits<int64_t>;
  c.identity = {make_combiner(largest ? CombinerKind::kMax : CombinerKind::kMin, t).identity.front(),
                make_int(last ? Limits::min() : Limits::max())};
  c.combine = {make_select(better, new_value, value), make_select(better, new_place, place)};

  bool keep = l.b.subgraph.tensors[static_cast<size_t>(tensor)].shape.size() == x.shape.size();
  StageDraft s(l.b, l.name());
  Indices at(x.shape.size()), to;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (static_cast<int>(d) == axis) {
      if (keep) to.push_back(make_int(0));
      continue;
    }
    at[d] = s.spatial("i" + std::to_string(d), x.shape[d]);
    to.push_back(at[d]);
  }
  Expr k = s.reduce("k", x.shape[static_cast<size_t>(axis)]);
  at[static_cast<size_t>(axis)] = k;
  s.combine(c, {x.at(at), k});
  s.output(tensor, to, s.acc(1));
  s.emit();
}

void lower_arg_reduce(NodeLowering& l) {
  Operand x = l.operand(0);
  int axis = l.axis(l.node.attr_int("axis", 0), x.rank());
  arg_reduce_stage(l, x, axis, l.node.op == OpKind::kArgMax, l.integer("select_last_index") != 0, l.out_tensor());
}

}  // namespace tlm::ir
