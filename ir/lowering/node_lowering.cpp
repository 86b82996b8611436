#include "tlm/ir/lowering/node_lowering.h"

#include "tlm/core/error.h"

namespace tlm::ir {

DType compute_type(DType t) { return t == DType::kF16 || t == DType::kBF16 ? DType::kF32 : t; }

const Value& NodeLowering::in(int i) const {
  if (!has_input(i)) bad_model("input " + std::to_string(i) + " is missing");
  return b.graph().value(node.inputs[static_cast<size_t>(i)]);
}

const Value& NodeLowering::out(int j) const {
  if (!has_output(j)) bad_model("output " + std::to_string(j) + " is missing");
  return b.graph().value(node.outputs[static_cast<size_t>(j)]);
}

Operand NodeLowering::stored(int i) const {
  const Value& v = in(i);
  ValueId id = node.inputs[static_cast<size_t>(i)];
  SubgraphBuilder* builder = &b;
  return {v.shape, v.dtype, [builder, id](const Indices& at) { return builder->read(id, at); }};
}

Operand NodeLowering::operand(int i) const {
  Operand x = stored(i);
  DType t = compute_type(x.dtype);
  if (t == x.dtype) return x;
  auto load = x.at;
  return {x.shape, t, [load, t](const Indices& at) {
            Expr e = load(at);
            return e->op == Op::kFloat ? make_float(e->fval, t) : make_cast(e, t);
          }};
}

Operand NodeLowering::tensor_operand(int tensor) const {
  const TensorDecl& d = b.subgraph.tensors[static_cast<size_t>(tensor)];
  DType stored_type = d.dtype, t = compute_type(d.dtype);
  return {d.shape, t, [=](const Indices& at) { return make_cast(make_load(tensor, stored_type, at), t); }};
}

int NodeLowering::internal(const std::string& suffix, DType t, Shape shape, const std::vector<int>& order) const {
  int tensor = b.internal(name(suffix), t, std::move(shape));
  TensorDecl& d = b.subgraph.tensors[static_cast<size_t>(tensor)];
  if (order.size() == d.shape.size()) d.strides = physical_strides(d.shape, order);
  return tensor;
}

const Tensor* NodeLowering::constant(int i) const {
  if (!has_input(i)) return nullptr;
  const Value& v = in(i);
  return v.constant ? &*v.constant : nullptr;
}

const Tensor& NodeLowering::require_constant(int i, const std::string& what) const {
  const Value& v = in(i);
  if (!v.constant) unsupported("input '" + what + "' (" + v.name + ") must be constant");
  return *v.constant;
}

std::vector<double> NodeLowering::floats(const std::string& attr) const {
  auto it = node.attrs.find(attr);
  if (it == node.attrs.end()) return {};
  const auto* list = std::get_if<std::vector<double>>(&it->second);
  if (!list) bad_model("attribute " + attr + " must be a list of floats");
  return *list;
}

int NodeLowering::axis(int64_t value, int rank) const {
  if (value < -rank || value >= rank) {
    bad_model("axis " + std::to_string(value) + " is outside a tensor of rank " + std::to_string(rank));
  }
  return static_cast<int>(value < 0 ? value + rank : value);
}

std::string NodeLowering::name(const std::string& suffix) const {
  std::string base = node.name;
  for (ValueId v : node.outputs) {
    if (base.empty() && v.valid()) base = b.graph().value(v).name;
  }
  if (base.empty()) base = std::string(op_kind_name(node.op));
  return suffix.empty() ? base : base + "." + suffix;
}

std::string NodeLowering::where() const { return "node '" + name() + "' (" + std::string(op_kind_name(node.op)) + ")"; }

void NodeLowering::unsupported(const std::string& what) const {
  throw Error(ErrorCode::kUnsupported, std::string(op_kind_name(node.op)) + ": " + what + " is not supported", where());
}

void NodeLowering::unsupported_attr(const std::string& attr, const std::string& value) const {
  unsupported("attribute " + attr + " = " + value);
}

void NodeLowering::bad_model(const std::string& what) const {
  throw Error(ErrorCode::kBadModel, std::string(op_kind_name(node.op)) + ": " + what, where());
}

}  // namespace tlm::ir
