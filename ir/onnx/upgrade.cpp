#include "tlm/ir/onnx/upgrade.h"

#include <cmath>
#include <limits>

#include "tlm/core/error.h"
#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

struct Upgrade {
  Graph& g;
  int opset;
  std::vector<NodeId>& added;

  NodeId put(Node n) {
    const NodeId id = g.add_node(std::move(n));
    infer_node(g, id, opset);
    added.push_back(id);
    return id;
  }
  ValueId helper(OpKind op, ValueId x, Attributes attrs, const std::string& name) {
    const ValueId y = add_op(g, op, {x}, std::move(attrs), name)[0];
    added.push_back(g.value(y).producer);
    return y;
  }
  std::string name_of(const Node& n) {
    for (ValueId v : n.outputs)
      if (v.valid()) return g.value(v).name;
    return n.name;
  }
  [[noreturn]] void unsupported(const Node& n, const std::string& what) {
    throw Error(ErrorCode::kUnsupported, what,
                "node '" + n.name + "', operator " + std::string(op_kind_name(n.op)) + ", opset " + std::to_string(opset));
  }
  ValueId scalar_like(ValueId x, double v, const std::string& name) {
    Tensor t(g.value(x).dtype, {});
    t.set_f64(0, v);
    return g.add_constant(name, std::move(t));
  }
};

bool first_input_given(const Node& n) { return !n.inputs.empty() && n.inputs[0].valid(); }

// Opset < 11: min and max are attributes; what no float exceeds is no bound.
void upgrade_clip(Upgrade& u, Node n) {
  if (u.opset < 11 && first_input_given(n)) {
    constexpr double kHuge = std::numeric_limits<float>::max();
    const double low = n.attr_float("min", -kHuge), high = n.attr_float("max", kHuge);
    const std::string name = u.name_of(n);
    n.inputs.resize(1);
    n.inputs.push_back(low > -kHuge ? u.scalar_like(n.inputs[0], low, name + ".min") : ValueId{});
    n.inputs.push_back(high < kHuge ? u.scalar_like(n.inputs[0], high, name + ".max") : ValueId{});
    n.attrs.erase("min");
    n.attrs.erase("max");
  }
  u.put(std::move(n));
}

// Opset < 11: pads and value are attributes.
void upgrade_pad(Upgrade& u, Node n) {
  if (u.opset < 11 && first_input_given(n)) {
    const double value = n.attr_float("value", 0);
    n.attrs.erase("value");
    n.inputs.resize(1);
    if (value != 0) n.inputs.push_back(u.scalar_like(n.inputs[0], value, u.name_of(n) + ".value"));
  }
  u.put(std::move(n));
}

// Opset 10: [x, scales], coordinates as Upsample has them.
void upgrade_resize(Upgrade& u, Node n) {
  if (u.opset < 11) {
    if (n.inputs.size() == 2) n.inputs.insert(n.inputs.begin() + 1, ValueId{});
    n.attrs["coordinate_transformation_mode"] = std::string("asymmetric");
    n.attrs["nearest_mode"] = std::string("floor");
  }
  u.put(std::move(n));
}

// Opset < 13: the dimensions before `axis` (default 1) and those from it on are two flat ones.
void upgrade_softmax(Upgrade& u, Node n) {
  if (u.opset >= 13 || !first_input_given(n)) {
    u.put(std::move(n));
    return;
  }
  const Shape x = u.g.value(n.inputs[0]).shape;
  const auto rank = static_cast<int64_t>(x.size());
  int64_t axis = n.attr_int("axis", 1);
  if (axis < 0) axis += rank;
  n.attrs["axis"] = axis;
  if (axis == rank - 1 || axis < 0 || axis > rank) {  // one meaning, or a fault that infer_node names
    u.put(std::move(n));
    return;
  }
  int64_t rows = 1, columns = 1;
  for (int64_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(d < axis ? rows : columns, x[static_cast<size_t>(d)], d < axis ? &rows : &columns))
      throw Error(ErrorCode::kBadModel, "shape " + to_string(x) + " is too large", "node '" + n.name + "'");
  }
  const std::string name = u.name_of(n);
  const ValueId flat =
      u.helper(OpKind::kReshape, n.inputs[0], {{"shape", Shape{rows, columns}}, {"allowzero", int64_t{1}}}, name + ".flat");
  const ValueId result = u.helper(n.op, flat, {{"axis", int64_t{1}}}, name + ".rows");
  Node back;
  back.op = OpKind::kReshape;
  back.name = n.name;
  back.inputs = {result};
  back.outputs = n.outputs;
  back.attrs = {{"shape", x}, {"allowzero", int64_t{1}}};
  u.put(std::move(back));
}

// The identity; the mask is all true (before opset 10 all ones of x's type).
void upgrade_dropout(Upgrade& u, Node n) {
  const NodeId id = u.put(std::move(n));
  Node& dropout = u.g.node(id);
  dropout.op = OpKind::kIdentity;
  dropout.attrs.clear();
  dropout.inputs.resize(1);
  const ValueId mask = dropout.outputs.size() > 1 ? dropout.outputs[1] : ValueId{};
  const DType mask_type = u.opset < 10 ? u.g.value(dropout.inputs[0]).dtype : DType::kBool;
  dropout.outputs.resize(1);
  if (!dropout.outputs[0].valid()) {
    u.g.remove_node(id);
    u.added.pop_back();
  }
  if (!mask.valid()) return;
  u.g.value(mask).producer = {};
  Tensor one(mask_type, {1});
  one.set_i64(0, 1);
  Node ones;
  ones.op = OpKind::kConstantOfShape;
  ones.outputs = {mask};
  ones.attrs = {{"shape", u.g.value(mask).shape}, {"value", one}};
  u.put(std::move(ones));
}

void upgrade_batch_norm(Upgrade& u, Node n) {
  if (u.opset < 9) {
    if (n.attr_int("spatial", 1) == 0) u.unsupported(n, "spatial = 0");
    n.attrs.erase("spatial");
  }
  if (u.opset < 14)
    for (size_t i = 1; i < n.outputs.size(); ++i)
      if (n.outputs[i].valid()) u.unsupported(n, "training: more than one output");
  if (u.opset < 14 && n.outputs.size() > 1) n.outputs.resize(1);
  u.put(std::move(n));
}

// Opset < 21: scale and bias are [groups]; each is repeated for the channels of its group.
void upgrade_group_norm(Upgrade& u, Node n) {
  if (u.opset < 21 && n.inputs.size() == 3 && first_input_given(n) && u.g.value(n.inputs[0]).shape.size() >= 2) {
    const int64_t groups = n.attr_int("num_groups", 0), channels = u.g.value(n.inputs[0]).shape[1];
    const std::string name = u.name_of(n);
    for (size_t i = 1; i < 3 && groups > 0 && channels % groups == 0; ++i) {
      if (!n.inputs[i].valid() || u.g.value(n.inputs[i]).shape != Shape{groups}) continue;
      const std::string part = name + (i == 1 ? ".scale" : ".bias");
      ValueId v = u.helper(OpKind::kReshape, n.inputs[i], {{"shape", Shape{groups, 1}}}, part + ".column");
      v = u.helper(OpKind::kExpand, v, {{"shape", Shape{groups, channels / groups}}}, part + ".groups");
      n.inputs[i] = u.helper(OpKind::kReshape, v, {{"shape", Shape{channels}}}, part);
    }
  }
  u.put(std::move(n));
}

// Without axis x is flattened.
void upgrade_compress(Upgrade& u, Node n) {
  if (!n.has_attr("axis") && first_input_given(n) && u.g.value(n.inputs[0]).shape.size() != 1)
    n.inputs[0] = u.helper(OpKind::kReshape, n.inputs[0], {{"shape", Shape{-1}}}, u.name_of(n) + ".flat");
  u.put(std::move(n));
}

}  // namespace

void add_upgraded(Graph& g, Node n, int opset, std::vector<NodeId>& added) {
  Upgrade u{g, opset, added};
  switch (n.op) {
    case OpKind::kClip: return upgrade_clip(u, std::move(n));
    case OpKind::kPad: return upgrade_pad(u, std::move(n));
    case OpKind::kResize: return upgrade_resize(u, std::move(n));
    case OpKind::kSoftmax:
    case OpKind::kLogSoftmax:
    case OpKind::kHardmax: return upgrade_softmax(u, std::move(n));
    case OpKind::kDropout: return upgrade_dropout(u, std::move(n));
    case OpKind::kBatchNormalization: return upgrade_batch_norm(u, std::move(n));
    case OpKind::kGroupNormalization: return upgrade_group_norm(u, std::move(n));
    case OpKind::kCompress: return upgrade_compress(u, std::move(n));
    default: u.put(std::move(n));
  }
}

}  // namespace tlm::ir
