#include "tlm/ir/onnx/attributes.h"

#include "tlm/core/error.h"

namespace tlm::ir {

namespace {

// Models older than IR version 2 leave the type out: it is that of the field that is there.
int type_of(const proto::AttributeProto& a) {
  if (a.has_type()) return a.type();
  if (a.has_f()) return proto::AttributeProto::FLOAT;
  if (a.has_i()) return proto::AttributeProto::INT;
  if (a.has_s()) return proto::AttributeProto::STRING;
  if (a.has_t()) return proto::AttributeProto::TENSOR;
  if (a.has_g()) return proto::AttributeProto::GRAPH;
  if (a.floats_size()) return proto::AttributeProto::FLOATS;
  if (a.ints_size()) return proto::AttributeProto::INTS;
  if (a.strings_size()) return proto::AttributeProto::STRINGS;
  return proto::AttributeProto::UNDEFINED;
}

AttrValue read_attribute(proto::AttributeProto& a, ExternalFiles& files) {
  switch (type_of(a)) {
    case proto::AttributeProto::FLOAT: return static_cast<double>(a.f());
    case proto::AttributeProto::INT: return static_cast<int64_t>(a.i());
    case proto::AttributeProto::STRING: return std::string(a.s());
    case proto::AttributeProto::TENSOR: return take_tensor(*a.mutable_t(), files);
    case proto::AttributeProto::FLOATS: return std::vector<double>(a.floats().begin(), a.floats().end());
    case proto::AttributeProto::INTS: return std::vector<int64_t>(a.ints().begin(), a.ints().end());
    case proto::AttributeProto::STRINGS: return std::vector<std::string>(a.strings().begin(), a.strings().end());
    case proto::AttributeProto::GRAPH:
    case proto::AttributeProto::GRAPHS:
      throw Error(ErrorCode::kUnsupported, "control flow: attribute '" + a.name() + "' is a graph");
    case proto::AttributeProto::UNDEFINED: throw Error(ErrorCode::kBadModel, "attribute '" + a.name() + "' has no value");
    default:
      throw Error(ErrorCode::kUnsupported,
                  "attribute '" + a.name() + "' has an unsupported type (sparse tensor, type or list of tensors)");
  }
}

}  // namespace

Attributes read_attributes(proto::NodeProto& node, ExternalFiles& files) {
  Attributes attrs;
  for (auto& a : *node.mutable_attribute()) {
    if (!a.ref_attr_name().empty())
      throw Error(ErrorCode::kBadModel, "attribute '" + a.name() + "' refers to a function's attribute outside a function");
    AttrValue value = read_attribute(a, files);
    if (!attrs.emplace(a.name(), std::move(value)).second)
      throw Error(ErrorCode::kBadModel, "attribute '" + a.name() + "' is given twice");
  }
  return attrs;
}

Tensor constant_of_attributes(const Attributes& attrs) {
  if (attrs.size() != 1)
    throw Error(ErrorCode::kBadModel, "a Constant has " + std::to_string(attrs.size()) + " attributes; one is needed");
  const auto& [key, value] = *attrs.begin();
  if (const auto* t = std::get_if<Tensor>(&value); t && key == "value") return *t;
  if (const auto* i = std::get_if<int64_t>(&value); i && key == "value_int") return Tensor::scalar_i64(*i);
  if (const auto* f = std::get_if<double>(&value); f && key == "value_float") return Tensor::scalar_f32(static_cast<float>(*f));
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value); list && key == "value_ints") return Tensor::vector_i64(*list);
  if (const auto* list = std::get_if<std::vector<double>>(&value); list && key == "value_floats")
    return Tensor::from<double>(DType::kF32, {static_cast<int64_t>(list->size())}, *list);
  throw Error(ErrorCode::kUnsupported, "a Constant by attribute '" + key + "'");
}

}  // namespace tlm::ir
