// Pad: one stage; negative pads crop.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

// Index of the element that stands at position i (relative to the input) of a dimension of extent `in`, 0 where nothing is
// outside.
Expr source(const NodeLowering& l, const std::string& mode, const Expr& i, int64_t in, bool outside) {
  if (!outside) return i;
  if (in == 0) l.bad_model("mode " + mode + " with an empty dimension");
  Expr last = make_int(in - 1);
  if (mode == "edge") return clamp_index(i, in);
  if (mode == "wrap") return floor_mod(i, in);
  if (mode == "reflect") {  // mirrored at both ends without repeating them, as often as needed
    if (in == 1) return make_int(0);
    // Within one period of 2·last the distance from `last` counts down from it.
    return last - unary(Op::kAbs, floor_mod(i, 2 * (in - 1)) - last);
  }
  l.unsupported_attr("mode", mode);
}

}  // namespace

void lower_pad(NodeLowering& l) {
  Operand x = l.operand(0);
  std::vector<int64_t> pads = l.ints("pads");
  std::string mode = l.node.attr_string("mode", "constant");
  size_t rank = x.shape.size();
  if (pads.size() != 2 * rank) l.bad_model("pads must have two entries for each dimension");
  Expr value = make_const(0, x.dtype);
  if (l.has_input(1)) {
    Operand v = l.operand(1);
    value = v.at(Indices(v.shape.size(), make_int(0)));
  }
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices from;
    Expr inside;
    for (size_t d = 0; d < rank; ++d) {
      int64_t begin = pads[d], end = pads[d + rank];
      Expr i = at[d] - begin;
      if (mode == "constant") {
        if (begin > 0) inside = both(inside, less_equal(make_int(begin), at[d]));
        if (end > 0) inside = both(inside, less(at[d], make_int(x.shape[d] + begin)));
        from.push_back(i);
      } else {
        from.push_back(source(l, mode, i, x.shape[d], begin > 0 || end > 0));
      }
    }
    return inside ? make_select(inside, x.at(from), value) : x.at(from);
  });
}

}  // namespace tlm::ir
