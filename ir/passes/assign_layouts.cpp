// The physical order of every value. Convolutional activations lie channels-last; everything else row-major. Any assignment is
// correct (only strides carry layout below this level), so this pass is about speed alone.
#include <algorithm>
#include <deque>

#include "tlm/ir/lowering/lower_operator.h"
#include "tlm/ir/passes/layout_order.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/ir/passes/uses.h"

namespace tlm::ir {
namespace {

// Operators over [batch, channels, space…] that work on all channels of a point alike: their first input and output are
// convolutional activations.
bool wants_channels_last(OpKind op) {
  switch (op) {
    case OpKind::kConv:
    case OpKind::kConvInteger:
    case OpKind::kQLinearConv:
    case OpKind::kConvTranspose:
    case OpKind::kMaxPool:
    case OpKind::kAveragePool:
    case OpKind::kLpPool:
    case OpKind::kGlobalAveragePool:
    case OpKind::kGlobalMaxPool:
    case OpKind::kGlobalLpPool:
    case OpKind::kBatchNormalization:
    case OpKind::kInstanceNormalization:
    case OpKind::kGroupNormalization:
    case OpKind::kLRN:
    case OpKind::kResize:
    case OpKind::kDepthToSpace:
    case OpKind::kSpaceToDepth: return true;
    default: return false;
  }
}

// Operators whose output has no order of its own: it follows its inputs, dimension by dimension.
bool follows_inputs(OpKind op) {
  switch (op) {
    case OpKind::kConcat:
    case OpKind::kSplit:
    case OpKind::kSlice:
    case OpKind::kPad:
    case OpKind::kTile:
    case OpKind::kExpand:
    case OpKind::kIdentity:
    case OpKind::kCast:
    case OpKind::kClip:
    case OpKind::kWhere:
    case OpKind::kPRelu:
    case OpKind::kSoftmax:
    case OpKind::kLogSoftmax:
    case OpKind::kQuantizeLinear:
    case OpKind::kDequantizeLinear: return true;
    default: return false;
  }
}

class LayoutAssigner {
 public:
  explicit LayoutAssigner(Graph& g) : g_(g), uses_(g), order_(g.values.size()), decided_(g.values.size(), 0) {}

  bool run() {
    pin_row_major();
    for (NodeId id : g_.topological_order()) {
      const Node& n = g_.node(id);
      if (!wants_channels_last(n.op)) continue;
      for (ValueId v : {n.inputs[0], n.outputs[0]}) {
        if (v.valid()) offer(v, channels_last(g_.value(v).shape.size()));
      }
      spread();
    }
    for (NodeId id : g_.topological_order()) {
      if (g_.node(id).op == OpKind::kTranspose) turn_in_place(g_.node(id));
    }
    bool changed = false;
    for (size_t v = 0; v < g_.values.size(); ++v) {
      Value& value = g_.values[v];
      if (row_major_anyway(value.shape, order_[v])) order_[v].clear();
      changed |= value.order != order_[v];
      value.order = order_[v];
    }
    return changed;
  }

 private:
  // Ports of the model, operands of runtime calls and constants.
  void pin_row_major() {
    const auto pin = [&](ValueId v) {
      if (v.valid()) decided_[static_cast<size_t>(v.index)] = 1;
    };
    for (ValueId v : g_.inputs) pin(v);
    for (ValueId v : g_.outputs) pin(v);
    for (const Node& n : g_.nodes) {
      if (n.op == OpKind::kRemoved || route(n.op) != Route::kRuntimeCall) continue;
      for (ValueId v : n.inputs) pin(v);
      for (ValueId v : n.outputs) pin(v);
    }
    for (size_t v = 0; v < g_.values.size(); ++v) {
      if (g_.values[v].constant) decided_[v] = 1;
    }
  }

  // The first order offered to a value stands.
  void offer(ValueId v, std::vector<int> order) {
    const auto i = static_cast<size_t>(v.index);
    if (decided_[i] || order.empty() || order.size() != g_.value(v).shape.size()) return;
    decided_[i] = 1;
    order_[i] = std::move(order);
    queue_.push_back(v);
  }

  void spread() {
    while (!queue_.empty()) {
      const ValueId v = queue_.front();
      queue_.pop_front();
      if (g_.value(v).producer.valid()) spread_through(g_.node(g_.value(v).producer), v);
      for (NodeId id : uses_.readers(v)) spread_through(g_.node(id), v);
    }
  }

  // `from`, an operand of n, has its order: offer the other operands what goes with it.
  void spread_through(const Node& n, ValueId from) {
    const std::vector<int>& order = order_[static_cast<size_t>(from.index)];
    const Shape& shape = g_.value(from).shape;
    if (route(n.op) == Route::kView && n.op != OpKind::kIdentity) {
      const ValueId other = from == n.inputs[0] ? n.outputs[0] : n.inputs[0];
      if (other.valid()) offer(other, reshaped_order(shape, order, g_.value(other).shape));
      return;
    }
    if (wants_channels_last(n.op)) return;  // these make their own offers
    const bool elementwise = is_elementwise(n);
    if (!elementwise && !follows_inputs(n.op)) return;
    for (const auto* operands : {&n.inputs, &n.outputs}) {
      for (ValueId v : *operands) {
        if (v.valid() && v != from) offer(v, order);
      }
    }
  }

  // A transposition that leaves the innermost dimension where it is moves nothing if one side takes the order of the other: the
  // heads of attention. The rows stay contiguous, so that whoever writes or reads them loses nothing.
  void turn_in_place(const Node& n) {
    const ValueId x = n.inputs[0], y = n.outputs[0];
    const std::vector<int64_t> perm = n.attr_ints("perm");
    const auto rank = perm.size();
    if (rank == 0 || perm.back() != static_cast<int64_t>(rank) - 1 || !order_[static_cast<size_t>(x.index)].empty()) return;
    std::vector<int> order(rank);
    if (wants_row_major(y)) {
      // y row-major: dimension perm[j] of x lies where dimension j of y does.
      if (uses_.readers(x).size() != 1 || uses_.is_output(x) || route_of_producer(x) != Route::kStages) return;
      for (size_t j = 0; j < rank; ++j) order[j] = static_cast<int>(perm[j]);
      offer(x, order);
    } else {
      for (size_t j = 0; j < rank; ++j) order[static_cast<size_t>(perm[j])] = static_cast<int>(j);
      offer(y, order);
    }
  }

  // Fixed so, or read by a reshape.
  bool wants_row_major(ValueId v) const {
    const auto i = static_cast<size_t>(v.index);
    if (decided_[i]) return order_[i].empty();
    const std::vector<NodeId>& readers = uses_.readers(v);
    return std::any_of(readers.begin(), readers.end(), [&](NodeId r) { return route(g_.node(r).op) == Route::kView; });
  }

  Route route_of_producer(ValueId v) const {
    const NodeId p = g_.value(v).producer;
    return p.valid() ? route(g_.node(p).op) : Route::kFoldOnly;
  }

  // Every operand broadcasts to the one output: told from shapes, but for operators that look elementwise and are not.
  bool is_elementwise(const Node& n) const {
    if (n.outputs.size() != 1 || !n.outputs[0].valid() || route(n.op) != Route::kStages) return false;
    switch (n.op) {
      case OpKind::kMatMul:
      case OpKind::kGemm:
      case OpKind::kEinsum:
      case OpKind::kTranspose:
      case OpKind::kGather:
      case OpKind::kGatherElements:
      case OpKind::kGatherND:
      case OpKind::kCumSum:
      case OpKind::kTrilu:
      case OpKind::kLayerNormalization:
      case OpKind::kHardmax: return false;
      default: break;
    }
    const Shape& out = g_.value(n.outputs[0]).shape;
    for (ValueId v : n.inputs) {
      if (!v.valid()) continue;
      const Shape& in = g_.value(v).shape;
      if (in.size() > out.size()) return false;
      for (size_t i = 0; i < in.size(); ++i) {
        const int64_t have = in[i], want = out[out.size() - in.size() + i];
        if (have != want && have != 1) return false;
      }
    }
    return true;
  }

  Graph& g_;
  const Uses uses_;
  std::vector<std::vector<int>> order_;  // by value
  std::vector<char> decided_;            // by value
  std::deque<ValueId> queue_;
};

}  // namespace

bool assign_layouts(Graph& g) { return LayoutAssigner(g).run(); }

bool assign_row_major(Graph& g) {
  bool changed = false;
  for (Value& v : g.values) {
    changed |= !v.order.empty();
    v.order.clear();
  }
  return changed;
}

}  // namespace tlm::ir
