#include "tlm/ir/partition/placement.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/ir/partition/view_math.h"
#include "tlm/ir/passes/uses.h"

namespace tlm::ir {
namespace {

class Placer {
 public:
  Placer(const Graph& g, const std::vector<NodeFacts>& facts) : g_(g), facts_(facts), uses_(g), pinned_(g.values.size(), 0) {
    result_.free.assign(g.nodes.size(), 0);
    result_.copies.resize(g.nodes.size());
    for (size_t v = 0; v < g.values.size(); ++v) {
      const Value& value = g.values[v];
      result_.of.push_back({{static_cast<int>(v)}, 0, physical_strides(value.shape, value.order)});
      if (value.constant) pinned_[v] = 1;
    }
    for (ValueId v : g.inputs) pinned_[static_cast<size_t>(v.index)] = 1;
    for (ValueId v : g.outputs) pinned_[static_cast<size_t>(v.index)] = 1;
    for (size_t n = 0; n < g.nodes.size(); ++n) {
      if (g.nodes[n].op == OpKind::kRemoved || facts[n].route != Route::kRuntimeCall) continue;
      for (const auto* operands : {&g.nodes[n].inputs, &g.nodes[n].outputs}) {
        for (ValueId v : *operands) {
          if (v.valid()) pinned_[static_cast<size_t>(v.index)] = 1;
        }
      }
    }
  }

  Placement run(bool views) {
    const std::vector<NodeId> order = g_.topological_order();
    std::vector<char> done(g_.nodes.size(), 0);
    for (NodeId id : order) {
      if (nothing_to_compute(g_.node(id))) set_free(id), done[index(id)] = 1;
    }
    if (views) {
      // Backwards: values move into the buffer of what is made of them. A reader's place is settled before that of its inputs.
      for (auto it = order.rbegin(); it != order.rend(); ++it) {
        if (!done[index(*it)]) done[index(*it)] = place_inputs(*it);
      }
      // Forwards: views of what is there already.
      for (NodeId id : order) {
        if (!done[index(id)]) done[index(id)] = place_outputs(id);
      }
    }
    for (NodeId id : order) {
      if (!done[index(id)] && facts_[index(id)].route == Route::kView) copy_view(id);
    }
    for (const PartCopy& part : part_copies_) add_part_copy(part);
    return std::move(result_);
  }

 private:
  static size_t index(NodeId n) { return static_cast<size_t>(n.index); }
  static size_t index(ValueId v) { return static_cast<size_t>(v.index); }
  Place& place(ValueId v) { return result_.of[index(v)]; }
  bool owns_buffer(ValueId v) { return place(v).root == v; }
  void set_free(NodeId n) { result_.free[index(n)] = 1; }
  BufferView view(ValueId v) { return {v, g_.value(v).shape, place(v).strides, place(v).offset}; }

  bool nothing_to_compute(const Node& n) const {
    return std::all_of(n.outputs.begin(), n.outputs.end(),
                       [&](ValueId v) { return !v.valid() || element_count(g_.value(v).shape) == 0; });
  }

  // v may live in another value's buffer: stages or a view write it, and stages and views alone read it.
  bool movable(ValueId v) {
    if (!v.valid() || pinned_[index(v)] || !owns_buffer(v) || element_count(g_.value(v).shape) == 0) return false;
    const NodeId producer = g_.value(v).producer;
    if (!producer.valid()) return false;
    const NodeFacts& f = facts_[index(producer)];
    return f.route == Route::kView || (f.route == Route::kStages && !is_window(producer));
  }

  // Slice, Split: each output is a box of the input. Those are views of their input, so they cannot be moved.
  bool is_window(NodeId id) const {
    const NodeFacts& f = facts_[index(id)];
    if (f.copies.empty()) return false;
    return std::all_of(f.copies.begin(), f.copies.end(), [&](const CopyMap& c) {
      const auto axes = full_walk(g_.value(c.to).shape, c.to_at, c.extents);
      if (!axes || c.from_at.size() != c.to_at.size()) return false;
      for (size_t d = 0; d < axes->size(); ++d) {
        for (size_t a = 0; a < c.extents.size(); ++a) {
          const int64_t wanted = static_cast<int>(a) == (*axes)[d] ? 1 : 0;
          if (c.extents[a] > 1 && c.from_at[d].coef[a] != wanted) return false;
        }
      }
      return true;
    });
  }

  // Where `whole`, walked from end to end by the axes of a copy, lies when its elements are those of the other side, at `other`.
  std::optional<Place> place_through(ValueId whole, const std::vector<Affine>& whole_at, const Place& other,
                                     const std::vector<Affine>& other_at, const std::vector<int64_t>& extents) {
    const auto axes = full_walk(g_.value(whole).shape, whole_at, extents);
    if (!axes) return std::nullopt;
    Place p{other.root, other.offset, place(whole).strides};
    for (size_t e = 0; e < other_at.size(); ++e) p.offset += other_at[e].constant * other.strides[e];
    for (size_t d = 0; d < axes->size(); ++d) {
      if ((*axes)[d] < 0) continue;
      p.strides[d] = 0;
      for (size_t e = 0; e < other_at.size(); ++e)
        p.strides[d] += other_at[e].coef[static_cast<size_t>((*axes)[d])] * other.strides[e];
    }
    return p;
  }

  bool place_inputs(NodeId id) {
    const NodeFacts& f = facts_[index(id)];
    if (f.route == Route::kView) return place_view_input(id);
    if (f.copies.empty()) return false;
    return f.copies.size() == 1 ? place_transposed_input(id) : place_parts(id);
  }

  // Reshape and the like whose output must own its buffer or already lies in another: the input goes there too.
  bool place_view_input(NodeId id) {
    const ValueId x = g_.node(id).inputs[0], y = g_.node(id).outputs[0];
    if ((!pinned_[index(y)] && owns_buffer(y)) || !movable(x)) return false;
    const auto strides = reshape_strides(g_.value(y).shape, place(y).strides, g_.value(x).shape);
    if (!strides) return false;
    place(x) = {place(y).root, place(y).offset, *strides};
    set_free(id);
    return true;
  }

  // A transposition into a graph output that moves nothing in memory.
  bool place_transposed_input(NodeId id) {
    const CopyMap& c = facts_[index(id)].copies[0];
    if (!pinned_[index(c.to)] || !movable(c.from)) return false;
    if (!full_walk(g_.value(c.to).shape, c.to_at, c.extents)) return false;
    const auto p = place_through(c.from, c.from_at, place(c.to), c.to_at, c.extents);
    if (!p || !same_strides(g_.value(c.from).shape, p->strides, place(c.from).strides)) return false;
    place(c.from) = *p;
    set_free(id);
    return true;
  }

  // Concat: every stage copies one whole input into a part of the one output. Inputs that can be written there in the first
  // place are; the others are copied.
  bool place_parts(NodeId id) {
    const Node& n = g_.node(id);
    const NodeFacts& f = facts_[index(id)];
    std::vector<Place> slots;
    for (const CopyMap& c : f.copies) {
      if (c.to != n.outputs[0]) return false;
      const auto p = place_through(c.from, c.from_at, place(c.to), c.to_at, c.extents);
      if (!p) return false;
      slots.push_back(*p);
    }
    const auto wanted = [&](size_t i) {
      const ValueId v = f.copies[i].from;
      if (!movable(v) || std::count(n.inputs.begin(), n.inputs.end(), v) != 1) return false;
      const std::vector<NodeId>& readers = uses_.readers(v);
      return std::none_of(readers.begin(), readers.end(), [&](NodeId r) { return facts_[index(r)].route == Route::kView; });
    };
    std::vector<char> moves;
    for (size_t i = 0; i < slots.size(); ++i) moves.push_back(wanted(i) ? 1 : 0);
    if (std::count(moves.begin(), moves.end(), 1) == 0) return false;
    for (size_t i = 0; i < slots.size(); ++i) {
      const ValueId v = f.copies[i].from;
      if (moves[i]) {
        place(v) = slots[i];
      } else {
        part_copies_.push_back({id, v, n.outputs[0], slots[i]});
      }
    }
    set_free(id);
    return true;
  }

  bool place_outputs(NodeId id) {
    const NodeFacts& f = facts_[index(id)];
    if (f.route == Route::kView) {
      const ValueId x = g_.node(id).inputs[0], y = g_.node(id).outputs[0];
      if (g_.value(x).constant || !owns_buffer(y) || g_.is_output(y)) return false;
      const auto strides = reshape_strides(g_.value(x).shape, place(x).strides, g_.value(y).shape);
      if (!strides || !accepts(y, {place(x).root, place(x).offset, *strides})) return false;
      place(y) = {place(x).root, place(x).offset, *strides};
      set_free(id);
      return true;
    }
    if (f.copies.empty()) return false;
    const bool window = is_window(id);
    std::vector<Place> places;
    for (const CopyMap& c : f.copies) {
      if (g_.value(c.from).constant || !owns_buffer(c.to) || g_.is_output(c.to)) return false;
      const auto p = place_through(c.to, c.to_at, place(c.from), c.from_at, c.extents);
      if (!p || !accepts(c.to, *p)) return false;
      if (!window && !same_strides(g_.value(c.to).shape, p->strides, place(c.to).strides)) return false;
      places.push_back(*p);
    }
    for (size_t i = 0; i < places.size(); ++i) place(f.copies[i].to) = places[i];
    set_free(id);
    return true;
  }

  // A runtime call takes dense row-major operands from the start of a buffer.
  bool accepts(ValueId v, const Place& p) const {
    if (!pinned_[index(v)]) return true;
    const Shape& shape = g_.value(v).shape;
    return p.offset == 0 && same_strides(shape, p.strides, row_major_strides(shape));
  }

  void copy_view(NodeId id) {
    set_free(id);
    result_.copies[index(id)].push_back({view(g_.node(id).inputs[0]), view(g_.node(id).outputs[0])});
  }

  // An input of a concatenation that cannot lie in the output's buffer.
  struct PartCopy {
    NodeId node;
    ValueId from, to;
    Place slot;
  };

  void add_part_copy(const PartCopy& part) {
    const Shape& shape = g_.value(part.from).shape;
    result_.copies[index(part.node)].push_back({view(part.from), {part.to, shape, part.slot.strides, part.slot.offset}});
  }

  const Graph& g_;
  const std::vector<NodeFacts>& facts_;
  const Uses uses_;
  std::vector<char> pinned_;  // by value: ports, constants, operands of runtime calls
  std::vector<PartCopy> part_copies_;
  Placement result_;
};

}  // namespace

Placement place_values(const Graph& g, const std::vector<NodeFacts>& facts, bool views) { return Placer(g, facts).run(views); }

}  // namespace tlm::ir
