// Dead nodes, and nodes whose output is their input.
#include <algorithm>

#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/ir/passes/uses.h"

namespace tlm::ir {
namespace {

bool all_equal(const std::vector<int64_t>& values, int64_t x) {
  return std::all_of(values.begin(), values.end(), [x](int64_t v) { return v == x; });
}

// The dimensions of extent > 1 stay in order, so that the elements do too.
bool keeps_element_order(const Shape& shape, const std::vector<int64_t>& perm) {
  int64_t last = -1;
  for (int64_t d : perm) {
    if (shape[static_cast<size_t>(d)] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

// Slices are in canonical form: every start and step is inside bounds.
bool whole_slice(const Shape& shape, const std::vector<int64_t>& steps) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1 && steps[d] != 1) return false;
  }
  return true;
}

// Equal extents and unit scales read each element at its own place, in the coordinate modes listed here.
bool unit_resize(const Node& n) {
  const auto it = n.attrs.find("scales");
  if (it == n.attrs.end()) return false;
  const auto* scales = std::get_if<std::vector<double>>(&it->second);
  if (!scales || !std::all_of(scales->begin(), scales->end(), [](double s) { return s == 1; })) return false;
  const std::string mode = n.attr_string("coordinate_transformation_mode", "half_pixel");
  return mode == "half_pixel" || mode == "asymmetric" || mode == "align_corners";
}

// The node does nothing to its only data input (shapes and types are known to be equal).
bool is_identity(const Graph& g, const Node& n) {
  const Value& x = g.value(n.inputs[0]);
  switch (n.op) {
    case OpKind::kIdentity:
    case OpKind::kDropout:
    case OpKind::kCast:
    case OpKind::kReshape:
    case OpKind::kFlatten:
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze:
    case OpKind::kExpand:
    case OpKind::kTile:
    case OpKind::kSplit: return true;
    case OpKind::kTranspose: return keeps_element_order(x.shape, n.attr_ints("perm"));
    case OpKind::kSlice: return whole_slice(x.shape, n.attr_ints("steps"));
    case OpKind::kPad: return all_equal(n.attr_ints("pads"), 0);
    case OpKind::kConcat:
    case OpKind::kSum:
    case OpKind::kMean:
    case OpKind::kMax:
    case OpKind::kMin: return n.inputs.size() == 1;
    case OpKind::kResize: return unit_resize(n);
    default: return false;
  }
}

class Eliminator {
 public:
  explicit Eliminator(Graph& g) : g_(g), uses_(g), same_as_(g.values.size()) {
    for (size_t v = 0; v < same_as_.size(); ++v) same_as_[v] = {static_cast<int>(v)};
  }

  bool run() {
    for (NodeId id : g_.topological_order()) {
      drop_empty_inputs(id);
      movement_of_unit_dimensions(id);
      pass_through(id);
    }
    for (Node& n : g_.nodes) {
      for (ValueId& v : n.inputs) {
        if (v.valid()) v = resolve(v);
      }
    }
    return remove_dead() || changed_;
  }

 private:
  ValueId resolve(ValueId v) const {
    while (same_as_[static_cast<size_t>(v.index)] != v) v = same_as_[static_cast<size_t>(v.index)];
    return v;
  }

  // Concat: inputs without elements add nothing.
  void drop_empty_inputs(NodeId id) {
    Node& n = g_.node(id);
    if (n.op != OpKind::kConcat) return;
    const auto empty = [&](ValueId v) { return element_count(g_.value(v).shape) == 0; };
    if (std::all_of(n.inputs.begin(), n.inputs.end(), empty)) return;
    const size_t before = n.inputs.size();
    n.inputs.erase(std::remove_if(n.inputs.begin(), n.inputs.end(), empty), n.inputs.end());
    changed_ |= n.inputs.size() != before;
  }

  // A Transpose that moves only dimensions of extent 1 is a Reshape.
  void movement_of_unit_dimensions(NodeId id) {
    Node& n = g_.node(id);
    if (n.op != OpKind::kTranspose) return;
    const Value &x = g_.value(n.inputs[0]), &y = g_.value(n.outputs[0]);
    if (x.shape == y.shape || !keeps_element_order(x.shape, n.attr_ints("perm"))) return;
    n.op = OpKind::kReshape;
    n.attrs = {{"shape", y.shape}};
    infer_node(g_, id);
    changed_ = true;
  }

  void pass_through(NodeId id) {
    const Node& n = g_.node(id);
    if (n.inputs.empty() || !n.inputs[0].valid() || n.outputs.empty() || !n.outputs[0].valid()) return;
    for (size_t i = 1; i < n.outputs.size(); ++i) {
      const ValueId extra = n.outputs[i];
      if (extra.valid() && (!uses_.readers(extra).empty() || uses_.is_output(extra))) return;
    }
    const ValueId in = resolve(n.inputs[0]), out = n.outputs[0];
    const Value &x = g_.value(in), &y = g_.value(out);
    if (x.shape != y.shape || x.dtype != y.dtype || x.order != y.order || !is_identity(g_, n)) return;
    if (!uses_.is_output(out)) {
      g_.remove_node(id);
      same_as_[static_cast<size_t>(out.index)] = in;
      changed_ = true;
    } else if (can_rename(in)) {
      // The output keeps its name: the producer of the input writes it, and all readers follow.
      const NodeId producer = x.producer;
      g_.remove_node(id);
      for (ValueId& v : g_.node(producer).outputs) {
        if (v == in) v = out;
      }
      g_.value(in).producer = {};
      g_.value(out).producer = producer;
      same_as_[static_cast<size_t>(in.index)] = out;
      changed_ = true;
    }
  }

  bool can_rename(ValueId v) const {
    const Value& value = g_.value(v);
    return value.producer.valid() && !value.constant && !uses_.is_output(v) &&
           std::find(g_.inputs.begin(), g_.inputs.end(), v) == g_.inputs.end();
  }

  bool remove_dead() {
    const size_t nodes = g_.nodes.size(), values = g_.values.size();
    g_.compact();
    return g_.nodes.size() != nodes || g_.values.size() != values;
  }

  Graph& g_;
  const Uses uses_;
  std::vector<ValueId> same_as_;  // by value; itself: kept
  bool changed_ = false;
};

}  // namespace

bool eliminate(Graph& g) { return Eliminator(g).run(); }

}  // namespace tlm::ir
