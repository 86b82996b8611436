// Operators that read at indices loaded from a tensor. Such an index is wrapped (negatives count from the end) and clamped, so
// that no program reads outside.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

// safe_index into a dimension from which something is read.
Expr place(const NodeLowering& l, const Expr& loaded, int64_t extent) {
  if (extent == 0) l.bad_model("an index into an empty dimension");
  return safe_index(loaded, extent);
}

}  // namespace

void lower_gather(NodeLowering& l) {
  Operand x = l.stored(0), indices = l.operand(1);
  auto axis = static_cast<size_t>(l.axis(l.node.attr_int("axis", 0), x.rank()));
  size_t k = indices.shape.size();
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    auto first = at.begin() + static_cast<int64_t>(axis);
    Indices which(first, first + static_cast<int64_t>(k)), from(at.begin(), first);
    from.push_back(place(l, indices.at(which), x.shape[axis]));
    from.insert(from.end(), first + static_cast<int64_t>(k), at.end());
    return x.at(from);
  });
}

void lower_gather_elements(NodeLowering& l) {
  Operand x = l.stored(0), indices = l.operand(1);
  auto axis = static_cast<size_t>(l.axis(l.node.attr_int("axis", 0), x.rank()));
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices from = at;
    from[axis] = place(l, indices.at(at), x.shape[axis]);
    return x.at(from);
  });
}

// y[batch…, i…, rest…] = x[batch…, indices[batch…, i…, 0], indices[batch…, i…, 1], …, rest…]
void lower_gather_nd(NodeLowering& l) {
  Operand x = l.stored(0), indices = l.operand(1);
  auto batch = static_cast<size_t>(l.node.attr_int("batch_dims", 0));
  if (indices.rank() == 0) l.bad_model("indices must have a dimension");
  auto depth = static_cast<size_t>(indices.shape.back());
  size_t lead = indices.shape.size() - 1;  // batch and index dimensions of the output
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices from(at.begin(), at.begin() + static_cast<int64_t>(batch));
    for (size_t d = 0; d < depth; ++d) {
      Indices which(at.begin(), at.begin() + static_cast<int64_t>(lead));
      which.push_back(make_int(static_cast<int64_t>(d)));
      from.push_back(place(l, indices.at(which), x.shape[batch + d]));
    }
    from.insert(from.end(), at.begin() + static_cast<int64_t>(lead), at.end());
    return x.at(from);
  });
}

// values[1] where the index (wrapped) equals the position along `axis`, else values[0].
void lower_one_hot(NodeLowering& l) {
  Operand indices = l.operand(0), values = l.operand(1);
  int64_t depth = l.integer("depth");
  auto axis = static_cast<size_t>(l.axis(l.node.attr_int("axis", -1), static_cast<int>(l.out().shape.size())));
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices which = at;
    which.erase(which.begin() + static_cast<int64_t>(axis));
    Expr i = make_cast(indices.at(which), DType::kI64);
    Expr hit = equals(make_select(less(i, make_int(0)), i + depth, i), at[axis]);
    return make_select(hit, values.at({make_int(1)}), values.at({make_int(0)}));
  });
}

// With a constant condition: a gather of the chosen places.
void lower_compress(NodeLowering& l) {
  Operand x = l.stored(0);
  const Tensor& condition = l.require_constant(1, "condition");
  bool flat = !l.node.has_attr("axis");
  int axis = flat ? 0 : l.axis(l.integer("axis"), x.rank());
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < condition.size(); ++i) {
    if (condition.at_i64(i) != 0) chosen.push_back(i);
  }
  int table = l.b.constant(l.name("places"), Tensor::vector_i64(chosen));
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr chosen_place = clamp_index(make_load(table, DType::kI64, {at[static_cast<size_t>(axis)]}), condition.size());
    if (flat) return x.at(unflatten(chosen_place, x.shape));
    Indices from = at;
    from[static_cast<size_t>(axis)] = chosen_place;
    return x.at(from);
  });
}

}  // namespace tlm::ir
