// Softmax, LogSoftmax, Hardmax: several stages over one dimension.
#include "tlm/ir/lowering/softmax.h"

#include "tlm/ir/lowering/arg_reduce.h"
#include "tlm/ir/lowering/families.h"

namespace tlm::ir {

Operand row_maximum(NodeLowering& l, const Operand& x, int axis) {
  Shape kept = x.shape;
  kept[static_cast<size_t>(axis)] = 1;
  std::vector<bool> reduced(x.shape.size(), false);
  reduced[static_cast<size_t>(axis)] = true;
  int tensor = l.internal("max", x.dtype, kept);
  reduce_stage(l.b, l.name("max"), tensor, x.shape, reduced, CombinerKind::kMax, [&](const Indices& at) { return x.at(at); });
  return l.tensor_operand(tensor);
}

Operand sum_of_exponentials(NodeLowering& l, const Operand& x, const Operand& max, int axis) {
  Shape kept = x.shape;
  kept[static_cast<size_t>(axis)] = 1;
  std::vector<bool> reduced(x.shape.size(), false);
  reduced[static_cast<size_t>(axis)] = true;
  int tensor = l.internal("sum", x.dtype, kept);
  reduce_stage(l.b, l.name("sum"), tensor, x.shape, reduced, CombinerKind::kSum,
               [&](const Indices& at) { return unary(Op::kExp, x.at(at) - read_broadcast(max, at)); });
  return l.tensor_operand(tensor);
}

void log_softmax(NodeLowering& l, const Operand& x, int axis, int tensor) {
  Operand max = row_maximum(l, x, axis);
  Operand sum = sum_of_exponentials(l, x, max, axis);
  map_stage(l.b, l.name("log"), tensor,
            [&](const Indices& at) { return x.at(at) - read_broadcast(max, at) - unary(Op::kLog, read_broadcast(sum, at)); });
}

// max; e^(x - max); its sum; the quotient. The schedule decides whether the exponentials are stored or computed twice.
void lower_softmax(NodeLowering& l) {
  Operand x = l.operand(0);
  if (x.rank() == 0) l.bad_model("a scalar operand");
  int axis = l.axis(l.node.attr_int("axis", -1), x.rank());
  if (l.node.op == OpKind::kLogSoftmax) return log_softmax(l, x, axis, l.out_tensor());
  Operand max = row_maximum(l, x, axis);
  int exponentials = l.internal("exp", x.dtype, x.shape, l.in(0).order);
  map_stage(l.b, l.name("exp"), exponentials,
            [&](const Indices& at) { return unary(Op::kExp, x.at(at) - read_broadcast(max, at)); });
  Operand e = l.tensor_operand(exponentials);
  std::vector<bool> reduced(x.shape.size(), false);
  reduced[static_cast<size_t>(axis)] = true;
  int sum = l.internal("sum", x.dtype, max.shape);
  reduce_stage(l.b, l.name("sum"), sum, x.shape, reduced, CombinerKind::kSum, [&](const Indices& at) { return e.at(at); });
  Operand total = l.tensor_operand(sum);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return divide(e.at(at), read_broadcast(total, at)); });
}

// 1 at the first maximum of the row, 0 elsewhere.
void lower_hardmax(NodeLowering& l) {
  Operand x = l.operand(0);
  int axis = l.axis(l.node.attr_int("axis", -1), x.rank());
  Shape kept = x.shape;
  kept[static_cast<size_t>(axis)] = 1;
  int tensor = l.internal("argmax", DType::kI64, kept);
  arg_reduce_stage(l, x, axis, /*largest=*/true, /*last=*/false, tensor);
  Operand place = l.tensor_operand(tensor);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    return make_select(equals(at[static_cast<size_t>(axis)], read_broadcast(place, at)), make_const(1, x.dtype),
                       make_const(0, x.dtype));
  });
}

}  // namespace tlm::ir
