#include "tests/support/generated_expr.h"

#include <algorithm>

namespace tlm::test {

using namespace ir;

namespace {

constexpr double kLimit = 1 << 22;  // sums of two stay exact in f32

Expr op(Op o, const Expr& a, const Expr& b) { return make_op(o, {a, b}); }

}  // namespace

Value ExprMaker::clamp(const Value& v, int limit) {
  const DType t = v.e->dtype;
  return {op(Op::kMin, op(Op::kMax, v.e, make_const(-limit, t)), make_const(limit, t)), std::min<double>(v.bound, limit)};
}

Value ExprMaker::scaled_down(const Value& v, double limit) {
  if (!exact_ || v.bound <= limit) return v;
  return clamp(v, static_cast<int>(std::max(1.0, std::min(limit, 1000.0))));
}

// A condition on the iteration space: continuous programs may branch there, too.
Expr ExprMaker::axis_condition() {
  std::vector<int> usable;
  for (size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].extent > 1) usable.push_back(static_cast<int>(i));
  if (usable.empty()) return make_int(1, DType::kBool);
  const int a = usable[rng_.below(usable.size())], b = usable[rng_.below(usable.size())];
  if (a != b && chance(50)) return op(Op::kLe, make_var(a), make_var(b));
  return op(Op::kLt, make_var(a), make_int(rng_.between(1, axes_[static_cast<size_t>(a)].extent - 1)));
}

Value ExprMaker::binary(Value a, Value b) {
  const DType t = a.e->dtype;
  const bool integer = !is_float(t);
  switch (rng_.below(exact_ && integer ? 12 : 10)) {
    case 0:
    case 1: return {op(Op::kAdd, a.e, b.e), a.bound + b.bound};
    case 2: return {op(Op::kSub, a.e, b.e), a.bound + b.bound};
    case 3:
    case 4:
    case 5: a = scaled_down(a, 2048), b = scaled_down(b, 1024); return {op(Op::kMul, a.e, b.e), a.bound * b.bound};
    case 6: return {op(Op::kMax, a.e, b.e), std::max(a.bound, b.bound)};
    case 7: return {op(Op::kMin, a.e, b.e), std::max(a.bound, b.bound)};
    case 8: return {make_select(axis_condition(), a.e, b.e), std::max(a.bound, b.bound)};
    case 9:
      if (exact_)
        return {make_select(op(Op::kLt, a.e, b.e), a.e, op(Op::kSub, b.e, make_const(1, t))), std::max(a.bound, b.bound) + 1};
      if (integer) return {op(Op::kAdd, a.e, b.e), 0};
      return {op(Op::kDiv, a.e, op(Op::kAdd, make_op(Op::kAbs, {b.e}), make_const(1, t))), a.bound};
    case 10: return {op(Op::kFloorDiv, a.e, make_const(static_cast<double>(rng_.between(2, 5)), t)), a.bound};
    default: return {op(Op::kMod, a.e, op(Op::kAdd, make_op(Op::kAbs, {b.e}), make_const(1, t))), a.bound};
  }
}

Value ExprMaker::unary(Value v) {
  const DType t = v.e->dtype;
  const auto c = [&](double x) { return make_const(x, t); };
  if (exact_ || !is_float(t)) {
    switch (rng_.below(6)) {
      case 0: return {make_op(Op::kNeg, {v.e}), v.bound};
      case 1: return {make_op(Op::kAbs, {v.e}), v.bound};
      case 2: return {op(Op::kMax, v.e, c(0)), v.bound};
      case 3: return {op(Op::kAdd, v.e, c(static_cast<double>(rng_.between(-3, 3)))), v.bound + 3};
      case 4: return {make_op(Op::kSign, {v.e}), 1};
      default:
        if (is_float(t)) return {make_op(Op::kFloor, {op(Op::kMul, v.e, c(0.5))}), v.bound};
        return {op(Op::kMul, v.e, c(3)), v.bound * 3};
    }
  }
  switch (rng_.below(9)) {
    case 0: return {op(Op::kMax, v.e, c(0)), 0};
    case 1: return {make_op(Op::kTanh, {v.e}), 0};
    case 2: return {make_op(Op::kExp, {op(Op::kMin, v.e, c(3))}), 0};
    case 3: return {make_op(Op::kSqrt, {op(Op::kAdd, make_op(Op::kAbs, {v.e}), c(0.25))}), 0};
    case 4: return {make_op(Op::kErf, {v.e}), 0};
    case 5:
      return {op(Op::kDiv, c(1), op(Op::kAdd, c(1), make_op(Op::kExp, {make_op(Op::kNeg, {op(Op::kMax, v.e, c(-20))})}))), 0};
    case 6: return {make_op(Op::kLog, {op(Op::kAdd, make_op(Op::kAbs, {v.e}), c(1))}), 0};
    case 7: return {make_select(op(Op::kLt, v.e, c(0)), op(Op::kMul, v.e, c(0.125)), v.e), 0};
    default: return {op(Op::kMul, v.e, c(0.3)), 0};
  }
}

Value ExprMaker::combine(std::vector<Value> values) {
  Value v = values[0];
  for (size_t i = 1; i < values.size(); ++i) v = scaled_down(binary(v, values[i]), kLimit / 4);
  if (chance(30)) v = scaled_down(unary(v), kLimit / 4);
  return v;
}

std::vector<Value> ExprMaker::plain_combiner(Stage& s, Value body, int64_t points) {
  const DType t = body.e->dtype;
  const auto n = static_cast<double>(points);
  const auto finish = [&](CombinerKind kind, const Value& b, double bound) {
    s.body = {b.e};
    s.combiner = make_combiner(kind, b.e->dtype);
    if (kind != CombinerKind::kSum) s.exclusive = false;  // the identity of max is infinite
    return std::vector<Value>{{make_acc(0, b.e->dtype), bound}};
  };
  switch (rng_.below(10)) {
    case 0: return finish(CombinerKind::kMax, body, body.bound);
    case 1: return finish(CombinerKind::kMin, body, body.bound);
    case 2:
      if (!exact_) break;
      body = clamp(body, 1);
      if (points <= 12) body = {op(Op::kAdd, body.e, make_const(1, t)), 2};
      return finish(CombinerKind::kProd, body, points <= 12 ? static_cast<double>(1 << points) : 1);
    case 3: {
      if (!exact_) break;
      const Value condition = {op(Op::kLt, body.e, make_const(static_cast<double>(rng_.between(-4, 4)), t)), 1};
      std::vector<Value> acc = finish(chance(50) ? CombinerKind::kAny : CombinerKind::kAll, condition, 1);
      acc[0].e = make_cast(acc[0].e, t);
      return acc;
    }
    default: break;
  }
  body = scaled_down(body, kLimit / n);
  return finish(CombinerKind::kSum, body, body.bound * n);
}

std::vector<Value> ExprMaker::tuple_combiner(Stage& s, Value body, int64_t points) {
  const DType t = body.e->dtype;
  const auto n = static_cast<double>(points);
  const auto c = [&](double x) { return make_const(x, t); };
  const auto acc = [&](int i) { return make_acc(i, t); };
  s.exclusive = false;
  s.combiner.kind = CombinerKind::kTuple;
  const int choice = static_cast<int>(rng_.below(3));
  if (choice == 0) {  // sums of values and of their squares
    body = scaled_down(body, 32);
    body = scaled_down(body, std::max(1.0, std::min(32.0, kLimit / n / 32)));
    s.body = {body.e, op(Op::kMul, body.e, body.e)};
    s.combiner.identity = {c(0), c(0)};
    s.combiner.combine = {op(Op::kAdd, acc(0), acc(2)), op(Op::kAdd, acc(1), acc(3))};
    return {{acc(0), body.bound * n}, {acc(1), body.bound * body.bound * n}};
  }
  if (exact_ && choice == 1) {  // largest value and where it is first
    Expr position = make_int(0);
    for (size_t i = 0; i < axes_.size(); ++i)
      if (axes_[i].kind != AxisKind::kSpatial) position = position * axes_[i].extent + make_var(static_cast<int>(i));
    s.body = {body.e, position};
    const Expr here = make_acc(1, DType::kI64), there = make_acc(3, DType::kI64);
    const Expr take =
        op(Op::kOr, op(Op::kLt, acc(0), acc(2)), op(Op::kAnd, op(Op::kEq, acc(0), acc(2)), op(Op::kLt, there, here)));
    s.combiner.identity = {make_combiner(CombinerKind::kMax, t).identity[0], make_int(INT64_MAX)};
    s.combiner.combine = {make_select(take, acc(2), acc(0)), make_select(take, there, here)};
    return {{acc(0), body.bound}, {here, n}};
  }
  if (exact_) {  // the first value that satisfies a condition; order matters
    const Expr satisfied = op(Op::kLt, c(static_cast<double>(rng_.between(-3, 3))), body.e);
    s.body = {make_select(satisfied, body.e, c(0)), satisfied};
    const Expr found = make_acc(1, DType::kBool);
    s.combiner.identity = {c(0), make_int(0, DType::kBool)};
    s.combiner.combine = {make_select(found, acc(0), acc(2)), op(Op::kOr, found, make_acc(3, DType::kBool))};
    s.combiner.commutative = false;
    return {{acc(0), body.bound}, {make_cast(found, t), 1}};
  }
  if (!is_float(t)) return plain_combiner(s, body, points);
  if (choice == 1) {  // running maximum and sum of exponentials relative to it
    s.body = {body.e, c(1)};
    const Expr top = op(Op::kMax, acc(0), acc(2));
    const auto part = [&](int m) { return op(Op::kMul, acc(m + 1), make_op(Op::kExp, {op(Op::kSub, acc(m), top)})); };
    s.combiner.identity = {c(-1e30), c(0)};
    s.combiner.combine = {top, op(Op::kAdd, part(0), part(2))};
    return {{acc(0), 0}, {acc(1), 0}};
  }
  // Count, mean and sum of squared deviations.
  s.body = {c(1), body.e, c(0)};
  const Expr count = op(Op::kAdd, acc(0), acc(3));
  const Expr weight = op(Op::kDiv, acc(3), op(Op::kMax, count, c(1)));
  const Expr delta = op(Op::kSub, acc(4), acc(1));
  s.combiner.identity = {c(0), c(0), c(0)};
  s.combiner.combine = {
      count, op(Op::kAdd, acc(1), op(Op::kMul, delta, weight)),
      op(Op::kAdd, op(Op::kAdd, acc(2), acc(5)), op(Op::kMul, op(Op::kMul, delta, delta), op(Op::kMul, acc(0), weight)))};
  return {{acc(1), 0}, {op(Op::kDiv, acc(2), c(n)), 0}};
}

}  // namespace tlm::test
