// Pooling: reductions over sliding windows.
#include <cmath>
#include <limits>

#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/window.h"

namespace tlm::ir {
namespace {

// One pooled value for each channel and window; `sum`: the contribution of an element and the end of the computation.
void pool(NodeLowering& l, const Operand& x, const std::vector<Window>& windows, CombinerKind kind,
          const std::function<Expr(Expr)>& element, const std::function<Expr(Expr, const Indices&)>& finish) {
  StageDraft s(l.b, l.name());
  Expr n = s.spatial("n", l.out().shape[0]), c = s.spatial("c", l.out().shape[1]);
  Indices o = output_axes(s, windows), k = kernel_axes(s, windows);
  Indices from = {n, c}, to = {n, c};
  for (size_t d = 0; d < windows.size(); ++d) from.push_back(window_index(windows[d], o[d], k[d]));
  to.insert(to.end(), o.begin(), o.end());
  s.combine(kind, element ? element(x.at(from)) : x.at(from));
  s.output(l.out_tensor(), to, finish ? finish(s.acc(), o) : s.acc());
  s.emit();
}

// How many of the kernel's positions lie in [begin, end) of the unpadded dimension, as i64.
Expr count_inside(const Window& w, const Expr& o, int64_t begin, int64_t end) {
  int64_t first = -w.pad_begin, last = first + w.reach() - 1;
  if (first >= begin && last < end) return make_int(w.kernel);
  Expr start = o * w.stride - w.pad_begin;
  // k < ⌈(end - start) / dilation⌉ and k >= ⌈(begin - start) / dilation⌉
  Expr hi = minimum(floor_div(make_int(end + w.dilation - 1) - start, w.dilation), make_int(w.kernel));
  Expr lo = maximum(floor_div(make_int(begin + w.dilation - 1) - start, w.dilation), make_int(0));
  return hi - lo;
}

// The two accumulators of a maximum with its place: the larger value, of equal ones the smaller place.
Combiner max_with_place(DType t) {
  Combiner c;
  c.kind = CombinerKind::kTuple;
  Expr value = make_acc(0, t), place = make_acc(1, DType::kI64), new_value = make_acc(2, t), new_place = make_acc(3, DType::kI64);
  Expr tie = both(equals(new_value, value), less(new_place, place));
  Expr better = make_op(Op::kOr, {less(value, new_value), tie});
  c.identity = {lowest(t), make_int(std::numeric_limits<int64_t>::max())};
  c.combine = {make_select(better, new_value, value), make_select(better, new_place, place)};
  return c;
}

void max_pool_with_indices(NodeLowering& l, const std::vector<Window>& ws, const Operand& x) {
  const Shape& in = l.in(0).shape;
  bool column_major = l.integer("storage_order") != 0;
  StageDraft s(l.b, l.name());
  Expr n = s.spatial("n", l.out().shape[0]), c = s.spatial("c", l.out().shape[1]);
  Indices o = output_axes(s, ws), k = kernel_axes(s, ws);
  Indices from = {n, c}, to = {n, c}, place = {n, c};
  Expr inside;
  for (size_t d = 0; d < ws.size(); ++d) {
    const Window& w = ws[d];
    from.push_back(window_index(w, o[d], k[d]));
    place.push_back(from.back() - w.pad_begin);
    if (w.pad_begin > 0) inside = both(inside, less_equal(make_int(0), place.back()));
    if (w.reach() > w.in + w.pad_begin) inside = both(inside, less(place.back(), make_int(w.in)));
  }
  to.insert(to.end(), o.begin(), o.end());
  Shape order = in;
  if (column_major) {  // the spatial dimensions in reverse
    std::reverse(order.begin() + 2, order.end());
    std::reverse(place.begin() + 2, place.end());
  }
  Expr flat = flat_index(place, order);
  // The place of padding loses against any element of x.
  if (inside) flat = make_select(inside, flat, make_int(std::numeric_limits<int64_t>::max()));
  s.combine(max_with_place(x.dtype), {x.at(from), flat});
  if (l.has_output(0)) s.output(l.out_tensor(0), to, s.acc(0));
  s.output(l.out_tensor(1), to, s.acc(1));
  s.emit();
}

}  // namespace

void lower_max_pool(NodeLowering& l) {
  std::vector<Window> ws = windows(l, l.in(0).shape, l.out().shape);
  Operand x = padded(l, 0, ws, lowest(compute_type(l.in(0).dtype)));
  if (l.has_output(1)) return max_pool_with_indices(l, ws, x);
  pool(l, x, ws, CombinerKind::kMax, {}, {});
}

void lower_average_pool(NodeLowering& l) {
  std::vector<Window> ws = windows(l, l.in(0).shape, l.out().shape);
  bool include_pad = l.integer("count_include_pad") != 0;
  Operand x = padded(l, 0, ws, make_const(0, compute_type(l.in(0).dtype)));
  pool(l, x, ws, CombinerKind::kSum, {}, [&](Expr sum, const Indices& o) {
    Expr count = make_int(1);
    for (size_t d = 0; d < ws.size(); ++d) {
      count = count * (include_pad ? count_inside(ws[d], o[d], -ws[d].pad_begin, ws[d].in + ws[d].pad_end)
                                   : count_inside(ws[d], o[d], 0, ws[d].in));
    }
    return divide(sum, make_cast(count, sum->dtype));
  });
}

namespace {

Expr absolute_power(const Expr& x, int64_t p) {
  if (p == 1) return unary(Op::kAbs, x);
  if (p == 2) return x * x;
  return make_op(Op::kPow, {unary(Op::kAbs, x), like(static_cast<double>(p), x)});
}

Expr root(const Expr& x, int64_t p) {
  if (p == 1) return x;
  if (p == 2) return unary(Op::kSqrt, x);
  return make_op(Op::kPow, {x, like(1.0 / static_cast<double>(p), x)});
}

}  // namespace

void lower_lp_pool(NodeLowering& l) {
  std::vector<Window> ws = windows(l, l.in(0).shape, l.out().shape);
  int64_t p = l.node.attr_int("p", 2);
  Operand x = padded(l, 0, ws, make_const(0, compute_type(l.in(0).dtype)));
  pool(
      l, x, ws, CombinerKind::kSum, [p](Expr e) { return absolute_power(e, p); },
      [p](Expr sum, const Indices&) { return root(sum, p); });
}

void lower_global_pool(NodeLowering& l) {
  Operand x = l.operand(0);
  std::vector<bool> reduced(x.shape.size(), true);
  reduced[0] = reduced[1] = false;
  double count = 1;
  for (size_t d = 2; d < x.shape.size(); ++d) count *= static_cast<double>(x.shape[d]);
  int64_t p = l.node.attr_int("p", 2);
  bool average = l.node.op == OpKind::kGlobalAveragePool, lp = l.node.op == OpKind::kGlobalLpPool;
  reduce_stage(
      l.b, l.name(), l.out_tensor(), x.shape, reduced, average || lp ? CombinerKind::kSum : CombinerKind::kMax,
      [&](const Indices& at) { return lp ? absolute_power(x.at(at), p) : x.at(at); },
      [&](Expr acc) { return average ? divide(acc, like(count, acc))
                             : lp    ? root(acc, p)
                                     : acc; });
}

}  // namespace tlm::ir
