// Operators that only move elements.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

// Indices into a row-major tensor of shape `from` of the element at `at` of one of shape `to` (as many elements). Groups of
// dimensions with equal products are converted apart, so that untouched dimensions keep plain indices.
Indices reshaped(const Indices& at, const Shape& to, const Shape& from) {
  Indices result;
  size_t i = 0, j = 0;
  while (i < to.size() || j < from.size()) {
    Shape to_group, from_group;
    Indices group_at;
    int64_t a = 1, b = 1;
    auto take_to = [&] { a *= to[i], to_group.push_back(to[i]), group_at.push_back(at[i]), ++i; };
    auto take_from = [&] { b *= from[j], from_group.push_back(from[j]), ++j; };
    if (i < to.size()) take_to();
    if (j < from.size()) take_from();
    while (a != b) {
      if ((a < b && i < to.size()) || j >= from.size())
        take_to();
      else
        take_from();
    }
    if (to_group.size() == 1 && from_group.size() == 1) {
      result.push_back(group_at[0]);
    } else {
      Indices part = unflatten(flat_index(group_at, to_group), from_group);
      result.insert(result.end(), part.begin(), part.end());
    }
  }
  return result;
}

}  // namespace

void lower_copy(NodeLowering& l) {
  Operand x = l.stored(0);
  const Shape& to = l.out().shape;
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return x.at(reshaped(at, to, x.shape)); });
}

// In inference: the input, and a mask of true.
void lower_dropout(NodeLowering& l) {
  if (l.has_input(2)) {
    bool training = l.require_constant(2, "training_mode").at_i64(0) != 0;
    double ratio = l.has_input(1) ? l.require_constant(1, "ratio").at_f64(0) : 0.5;
    if (training && ratio != 0) l.unsupported("training with ratio " + std::to_string(ratio));
  }
  if (l.has_output(0)) lower_copy(l);
  if (l.has_output(1)) map_stage(l.b, l.name("mask"), l.out_tensor(1), [](const Indices&) { return make_int(1, DType::kBool); });
}

// One stage for each input, all writing slices of the output.
void lower_concat(NodeLowering& l) {
  auto axis = static_cast<size_t>(l.axis(l.node.attr_int("axis", 0), static_cast<int>(l.out().shape.size())));
  int64_t offset = 0;
  for (int i = 0; i < l.input_count(); ++i) {
    Operand x = l.stored(i);
    StageDraft s(l.b, l.name(std::to_string(i)));
    Indices at = s.spatial(x.shape), to = at;
    to[axis] = at[axis] + offset;
    s.body(x.at(at));
    s.output(l.out_tensor(), to, s.acc());
    s.emit();
    offset += x.shape[axis];
  }
}

void lower_split(NodeLowering& l) {
  Operand x = l.stored(0);
  auto axis = static_cast<size_t>(l.axis(l.node.attr_int("axis", 0), x.rank()));
  std::vector<int64_t> sizes = l.ints("split");
  int64_t offset = 0;
  for (size_t j = 0; j < l.node.outputs.size(); ++j) {
    int output = static_cast<int>(j);
    if (l.has_output(output)) {
      map_stage(l.b, l.name(std::to_string(j)), l.out_tensor(output), [&](const Indices& at) {
        Indices from = at;
        from[axis] = at[axis] + offset;
        return x.at(from);
      });
    }
    if (j < sizes.size()) offset += sizes[j];
  }
}

void lower_slice(NodeLowering& l) {
  Operand x = l.stored(0);
  std::vector<int64_t> starts = l.ints("starts"), steps = l.ints("steps");
  if (starts.size() != x.shape.size() || steps.size() != x.shape.size())
    l.bad_model("starts and steps must have an entry for each dimension");
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices from;
    for (size_t d = 0; d < at.size(); ++d) from.push_back(at[d] * steps[d] + starts[d]);
    return x.at(from);
  });
}

void lower_transpose(NodeLowering& l) {
  Operand x = l.stored(0);
  std::vector<int64_t> perm = l.ints("perm");
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices from(at.size());
    for (size_t d = 0; d < at.size(); ++d) from[static_cast<size_t>(perm[d])] = at[d];
    return x.at(from);
  });
}

void lower_expand(NodeLowering& l) {
  Operand x = l.stored(0);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) { return read_broadcast(x, at); });
}

void lower_tile(NodeLowering& l) {
  Operand x = l.stored(0);
  const Shape& out = l.out().shape;
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices from;
    for (size_t d = 0; d < at.size(); ++d) from.push_back(out[d] == x.shape[d] ? at[d] : floor_mod(at[d], x.shape[d]));
    return x.at(from);
  });
}

// [n, b·b·c, h, w] → [n, c, h·b, w·b]; DCR: blocks before channels, CRD: channels before blocks.
void lower_depth_to_space(NodeLowering& l) {
  Operand x = l.stored(0);
  int64_t b = l.integer("blocksize"), channels = x.shape[1] / (b * b);
  std::string mode = l.node.attr_string("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") l.unsupported_attr("mode", mode);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr block = floor_mod(at[2], b) * b + floor_mod(at[3], b);
    Expr channel = mode == "DCR" ? block * channels + at[1] : at[1] * (b * b) + block;
    return x.at({at[0], channel, floor_div(at[2], b), floor_div(at[3], b)});
  });
}

// [n, c, h·b, w·b] → [n, b·b·c, h, w]
void lower_space_to_depth(NodeLowering& l) {
  Operand x = l.stored(0);
  int64_t b = l.integer("blocksize"), channels = x.shape[1];
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr block = floor_div(at[1], channels);
    return x.at({at[0], floor_mod(at[1], channels), at[2] * b + floor_div(block, b), at[3] * b + floor_mod(block, b)});
  });
}

// The first lens[batch] elements of each sequence in reverse, the others as they are.
void lower_reverse_sequence(NodeLowering& l) {
  Operand x = l.stored(0), lens = l.operand(1);
  auto batch = static_cast<size_t>(l.axis(l.node.attr_int("batch_axis", 1), x.rank()));
  auto time = static_cast<size_t>(l.axis(l.node.attr_int("time_axis", 0), x.rank()));
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr length = make_cast(lens.at({at[batch]}), DType::kI64);
    Indices from = at;
    from[time] = clamp_index(make_select(less(at[time], length), length - make_int(1) - at[time], at[time]), x.shape[time]);
    return x.at(from);
  });
}

}  // namespace tlm::ir
