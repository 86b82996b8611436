// Reduce*: one stage; LogSumExp has two.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

struct Reduction {
  CombinerKind kind = CombinerKind::kSum;
  std::function<Expr(Expr)> element = [](Expr e) { return e; };
  std::function<Expr(Expr)> finish = [](Expr e) { return e; };
};

// sqrt or log of an accumulator that may be an integer.
Expr in_float(Op op, const Expr& e) {
  if (is_float(e->dtype)) return unary(op, e);
  return make_cast(unary(op, make_cast(e, DType::kF64)), e->dtype);
}

Reduction reduction(OpKind op, DType t, int64_t count) {
  Reduction r;
  switch (op) {
    case OpKind::kReduceL1: r.element = [](Expr e) { return unary(Op::kAbs, e); }; break;
    case OpKind::kReduceL2:
      r.element = [](Expr e) { return e * e; };
      r.finish = [](Expr e) { return in_float(Op::kSqrt, e); };
      break;
    case OpKind::kReduceLogSum: r.finish = [](Expr e) { return in_float(Op::kLog, e); }; break;
    case OpKind::kReduceMax: r.kind = t == DType::kBool ? CombinerKind::kAny : CombinerKind::kMax; break;
    case OpKind::kReduceMin: r.kind = t == DType::kBool ? CombinerKind::kAll : CombinerKind::kMin; break;
    case OpKind::kReduceMean: r.finish = [count](Expr e) { return divide(e, like(static_cast<double>(count), e)); }; break;
    case OpKind::kReduceProd: r.kind = CombinerKind::kProd; break;
    case OpKind::kReduceSumSquare: r.element = [](Expr e) { return e * e; }; break;
    default: break;
  }
  return r;
}

// log Σ e^x as m + log Σ e^(x - m) with m = max x (0 where that is infinite).
void log_sum_exp(NodeLowering& l, const Operand& x, const std::vector<bool>& reduced) {
  DType t = is_float(x.dtype) ? x.dtype : DType::kF64;
  Shape kept = x.shape;
  for (size_t d = 0; d < kept.size(); ++d) {
    if (reduced[d]) kept[d] = 1;
  }
  int tensor = l.internal("max", t, kept);
  reduce_stage(
      l.b, l.name("max"), tensor, x.shape, reduced, CombinerKind::kMax, [&](const Indices& at) { return make_cast(x.at(at), t); },
      [](Expr m) { return make_select(unary(Op::kIsInf, m), like(0, m), m); });
  Operand max = l.tensor_operand(tensor);
  Expr row;  // the maximum, read where the sum is stored
  reduce_stage(
      l.b, l.name(), l.out_tensor(), x.shape, reduced, CombinerKind::kSum,
      [&](const Indices& at) {
        row = read_broadcast(max, at);
        return unary(Op::kExp, make_cast(x.at(at), t) - row);
      },
      [&](Expr sum) { return unary(Op::kLog, sum) + row; });
}

}  // namespace

void lower_reduce(NodeLowering& l) {
  Operand x = l.operand(0);
  std::vector<bool> reduced(x.shape.size(), false);
  int64_t count = 1;
  std::vector<int64_t> axes = l.ints("axes");
  for (int64_t a : axes) {
    auto d = static_cast<size_t>(l.axis(a, x.rank()));
    reduced[d] = true;
    count *= x.shape[d];
  }
  if (axes.empty() && x.rank() > 0) {  // noop_with_empty_axes: the input as it is
    map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return x.at(at); });
    return;
  }
  if (l.node.op == OpKind::kReduceLogSumExp) return log_sum_exp(l, x, reduced);
  Reduction r = reduction(l.node.op, x.dtype, count);
  reduce_stage(
      l.b, l.name(), l.out_tensor(), x.shape, reduced, r.kind, [&](const Indices& at) { return r.element(x.at(at)); }, r.finish);
}

}  // namespace tlm::ir
