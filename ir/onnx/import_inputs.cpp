// Graph inputs: element types, symbolic dimensions, inputs bound to constants.
#include "tlm/core/error.h"
#include "tlm/ir/graph/onnx_dtype.h"
#include "tlm/ir/onnx/importer.h"

namespace tlm::ir {

int64_t Importer::read_dimension(const std::string& input, size_t axis, const proto::TensorShapeProto::Dimension& dim,
                                 const Tensor* bound) {
  // A dimension without a name is called by its place; some exporters write -1 for "unknown".
  const bool known = dim.has_dim_value() && dim.dim_value() != -1;
  if (known) {
    if (dim.dim_value() < 0)
      throw Error(ErrorCode::kBadModel, "input '" + input + "' has the negative extent " + std::to_string(dim.dim_value()) +
                                            " in dimension " + std::to_string(axis));
    return dim.dim_value();
  }
  const std::string symbol = dim.dim_param().empty() ? input + "[" + std::to_string(axis) + "]" : dim.dim_param();
  symbols_.insert(symbol);
  const auto it = dims_.find(symbol);
  if (it != dims_.end()) return it->second;
  if (bound && axis < bound->shape().size()) return dims_[symbol] = bound->shape()[axis];
  unknown_dims_.insert(symbol);
  poisoned_.insert(input);
  return 1;
}

Shape Importer::read_shape(const proto::ValueInfoProto& info, const Tensor* bound) {
  const auto& type = info.type().tensor_type();
  if (!type.has_shape()) {
    if (bound) return bound->shape();
    throw Error(ErrorCode::kUnsupported, "it has no shape");
  }
  if (type.shape().dim_size() > 16)
    throw Error(ErrorCode::kUnsupported,
                "it has " + std::to_string(type.shape().dim_size()) + " dimensions; at most 16 are supported");
  Shape shape;
  for (int d = 0; d < type.shape().dim_size(); ++d)
    shape.push_back(read_dimension(info.name(), static_cast<size_t>(d), type.shape().dim(d), bound));
  return shape;
}

ValueId Importer::read_input(const proto::ValueInfoProto& info) {
  const std::string& name = info.name();
  if (!info.type().has_tensor_type())
    throw Error(ErrorCode::kUnsupported, info.has_type() ? "it is a sequence, map, optional or sparse tensor" : "it has no type");
  const auto type = dtype_of_onnx(info.type().tensor_type().elem_type());
  if (!type)
    throw Error(ErrorCode::kUnsupported, "its element type is " + onnx_dtype_name(info.type().tensor_type().elem_type()));
  const auto it = options_.bound.find(name);
  const Tensor* bound = it == options_.bound.end() ? nullptr : &it->second;
  Value v;
  v.name = name;
  v.dtype = *type;
  v.shape = read_shape(info, bound);
  const double bytes = static_cast<double>(element_count(v.shape)) * static_cast<double>(dtype_size(*type));
  charge(bytes, "input '" + name + "'");
  if (bound) {
    if (bound->dtype() != v.dtype || bound->shape() != v.shape) {
      throw Error(ErrorCode::kUsage, "the value bound to input '" + name + "' is " + std::string(dtype_name(bound->dtype())) +
                                         to_string(bound->shape()) + "; the input is " + std::string(dtype_name(v.dtype)) +
                                         to_string(v.shape));
    }
    v.constant = *bound;
    return g_.add_value(std::move(v));
  }
  const ValueId id = g_.add_value(std::move(v));
  g_.inputs.push_back(id);
  return id;
}

void Importer::read_inputs() {
  dims_ = options_.dims;
  for (const auto& [symbol, extent] : dims_)
    if (extent < 0) throw Error(ErrorCode::kUsage, "dimension '" + symbol + "' is " + std::to_string(extent));
  std::set<std::string> seen;
  // Bound inputs first: they may fix dimensions that others share.
  for (const bool bound : {true, false}) {
    for (const auto& info : proto_.input()) {
      if ((options_.bound.count(info.name()) != 0) != bound) continue;
      if (!seen.insert(info.name()).second) throw Error(ErrorCode::kBadModel, "graph input '" + info.name() + "' is given twice");
      if (info.name().empty()) throw Error(ErrorCode::kBadModel, "a graph input has no name");
      if (values_.count(info.name())) continue;  // an initializer: its default, which is then a constant
      try {
        define(info.name(), read_input(info));
      } catch (const Error& e) {
        if (e.code() != ErrorCode::kUnsupported) throw;
        poison(info.name(), "graph input '" + info.name() + "': " + e.message());
      }
    }
  }
}

void Importer::check_dims() const {
  if (unknown_dims_.empty()) return;
  std::string names, hint = "pass";
  for (const std::string& symbol : unknown_dims_) {
    names += (names.empty() ? "'" : ", '") + symbol + "'";
    hint += " --dim '" + symbol + "=N'";
  }
  throw Error(
      ErrorCode::kUsage,
      std::string(unknown_dims_.size() == 1 ? "dimension " : "dimensions ") + names + " of the model's inputs must be given", {},
      hint);
}

void Importer::check_options() const {
  for (const auto& [name, tensor] : options_.bound) {
    bool found = false;
    for (const auto& info : proto_.input()) found = found || info.name() == name;
    if (!found) throw Error(ErrorCode::kUsage, "the model has no input '" + name + "' to bind");
  }
  for (const auto& [symbol, extent] : options_.dims) {
    if (symbols_.count(symbol)) continue;
    std::string known;
    for (const std::string& s : symbols_) known += (known.empty() ? "" : ", ") + s;
    throw Error(ErrorCode::kUsage, "the model has no dimension '" + symbol + "'", {},
                known.empty() ? "it has no symbolic dimensions" : "it has: " + known);
  }
}

}  // namespace tlm::ir
