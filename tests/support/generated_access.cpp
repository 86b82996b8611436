#include "tests/support/generated_access.h"

#include "tlm/core/error.h"

namespace tlm::test {

using namespace ir;

namespace {

Expr plain_index(const Dim& d) {
  Expr e = make_int(d.offset);
  if (d.a >= 0) e = make_var(d.a) * d.a_scale + e;
  if (d.b >= 0) e = make_var(d.b) * d.b_scale + e;
  if (d.div > 1) e = floor_div(e, d.div);
  if (d.mod > 0) e = floor_mod(e, d.mod);
  return e;
}

}  // namespace

int64_t highest(const Dim& d, const std::vector<Axis>& axes) {
  std::vector<int64_t> extents;
  for (const Axis& a : axes) extents.push_back(a.extent);
  const auto range = bounds(plain_index(d), extents);
  TLM_CHECK(range && range->lo >= 0) << "index of a generated access";
  return range->hi;
}

Expr build_load(const Access& a, const Subgraph& g) {
  const TensorDecl& t = g.tensors[static_cast<size_t>(a.tensor)];
  std::vector<Expr> indices;
  Expr guard;
  for (const Dim& d : a.dims) {
    Expr e = plain_index(d);
    if (d.index_tensor >= 0) {
      const DType type = g.tensors[static_cast<size_t>(d.index_tensor)].dtype;
      const Expr raw = make_cast(make_load(d.index_tensor, type, {make_var(d.a)}), DType::kI64);
      const Expr wrapped = make_select(make_op(Op::kLt, {raw, make_int(0)}), raw + d.extent, raw);
      e = make_op(Op::kMin, {make_op(Op::kMax, {wrapped, make_int(0)}), make_int(d.extent - 1)});
    }
    if (d.guarded) {
      const Expr inside = make_op(Op::kAnd, {make_op(Op::kLe, {make_int(0), e}), make_op(Op::kLt, {e, make_int(d.extent)})});
      guard = guard ? make_op(Op::kAnd, {guard, inside}) : inside;
    }
    indices.push_back(e);
  }
  Expr load = make_load(a.tensor, t.dtype, indices);
  return guard ? make_select(guard, load, make_const(0, t.dtype)) : load;
}

}  // namespace tlm::test
