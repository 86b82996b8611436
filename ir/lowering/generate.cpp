// Tensors made of their own indices: constants, ranges, diagonals, triangles.
#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {

namespace {

void write_constant(NodeLowering& l, const Tensor& value) {
  int table = l.b.constant(l.name("value"), value);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return make_load(table, value.dtype(), at); });
}

}  // namespace

void lower_constant(NodeLowering& l) {
  auto it = l.node.attrs.find("value");
  const Tensor* value = it == l.node.attrs.end() ? nullptr : std::get_if<Tensor>(&it->second);
  if (!value) l.unsupported("a constant without attribute value");
  write_constant(l, *value);
}

// Shape and Size of a static shape.
void lower_shape(NodeLowering& l) {
  const Shape& shape = l.in(0).shape;
  if (l.node.op == OpKind::kSize) return write_constant(l, Tensor::scalar_i64(element_count(shape)));
  auto rank = static_cast<int64_t>(shape.size());
  auto place = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  int64_t start = place(l.node.attr_int("start", 0)), end = place(l.node.attr_int("end", rank));
  if (start < end) write_constant(l, Tensor::vector_i64({shape.data() + start, static_cast<size_t>(end - start)}));
}

void lower_constant_of_shape(NodeLowering& l) {
  DType t = compute_type(l.out().dtype);
  Expr value = make_const(0, t);
  if (auto it = l.node.attrs.find("value"); it != l.node.attrs.end()) {
    const auto* tensor = std::get_if<Tensor>(&it->second);
    if (!tensor || tensor->size() != 1) l.bad_model("attribute value must be a tensor of one element");
    value = is_float(t) ? make_float(tensor->at_f64(0), t) : make_int(tensor->at_i64(0), t);
  }
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices&) { return value; });
}

void lower_eye_like(NodeLowering& l) {
  int64_t k = l.node.attr_int("k", 0);
  DType t = compute_type(l.out().dtype);
  map_stage(l.b, l.name(), l.out_tensor(),
            [&](const Indices& at) { return make_select(equals(at[1], at[0] + k), make_const(1, t), make_const(0, t)); });
}

// start + i·delta; the extent comes from the output's shape.
void lower_range(NodeLowering& l) {
  Operand start = l.operand(0), delta = l.operand(2);
  Indices first(start.shape.size(), make_int(0)), step(delta.shape.size(), make_int(0));
  map_stage(l.b, l.name(), l.out_tensor(),
            [&](const Indices& at) { return start.at(first) + make_cast(at[0], start.dtype) * delta.at(step); });
}

void lower_trilu(NodeLowering& l) {
  Operand x = l.operand(0);
  int64_t k = l.node.attr_int("k", 0);
  bool upper = l.node.attr_int("upper", 1) != 0;
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    const Expr& i = at[at.size() - 2];
    const Expr& j = at[at.size() - 1];
    Expr kept = upper ? less_equal(i + k, j) : less_equal(j, i + k);
    return make_select(kept, x.at(at), make_const(0, x.dtype));
  });
}

}  // namespace tlm::ir
