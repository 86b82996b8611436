#include "tlm/ir/tensor/stage.h"

#include "tlm/core/error.h"
#include "tlm/ir/tensor/scalar.h"

namespace tlm::ir {
namespace {

// The neutral element of min (largest = true) or max: ±infinity, or the extreme value of the type.
Expr extreme(DType t, bool largest) {
  if (is_float(t)) return make_float(largest ? __builtin_inf() : -__builtin_inf(), t);
  if (t == DType::kBool) return make_int(largest, t);
  const int bits = static_cast<int>(dtype_size(t)) * 8;
  if (!is_signed_int(t)) return make_int(largest ? -1 : 0, t);
  const auto top = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  return make_int(largest ? top : -top - 1, t);
}

}  // namespace

Combiner make_combiner(CombinerKind kind, DType t) {
  Combiner c;
  c.kind = kind;
  const Expr a = make_acc(0, t), b = make_acc(1, t);
  switch (kind) {
    case CombinerKind::kSum:
      c.identity = {make_const(0, t)};
      c.combine = {make_op(Op::kAdd, {a, b})};
      break;
    case CombinerKind::kProd:
      c.identity = {make_const(1, t)};
      c.combine = {make_op(Op::kMul, {a, b})};
      break;
    case CombinerKind::kMax:
      c.identity = {extreme(t, false)};
      c.combine = {make_op(Op::kMax, {a, b})};
      break;
    case CombinerKind::kMin:
      c.identity = {extreme(t, true)};
      c.combine = {make_op(Op::kMin, {a, b})};
      break;
    case CombinerKind::kAny:
    case CombinerKind::kAll:
      TLM_CHECK(t == DType::kBool) << "logical combiner of " << dtype_name(t);
      c.identity = {make_int(kind == CombinerKind::kAll, t)};
      c.combine = {make_op(kind == CombinerKind::kAll ? Op::kAnd : Op::kOr, {a, b})};
      break;
    case CombinerKind::kNone:
    case CombinerKind::kTuple: TLM_CHECK(false) << "no combiner of that kind is made from a type alone";
  }
  return c;
}

int Stage::spatial_count() const {
  int n = 0;
  for (const Axis& a : axes) n += a.kind == AxisKind::kSpatial;
  return n;
}

std::vector<int64_t> Stage::extents() const {
  std::vector<int64_t> e;
  e.reserve(axes.size());
  for (const Axis& a : axes) e.push_back(a.extent);
  return e;
}

bool Stage::has_reduction() const {
  for (const Axis& a : axes)
    if (a.kind == AxisKind::kReduce) return true;
  return false;
}

bool Stage::has_scan() const { return !axes.empty() && axes.back().kind == AxisKind::kScan; }

}  // namespace tlm::ir
