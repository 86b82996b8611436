#include "tlm/tools/tlm/data_set.h"

#include <cstring>

#include "tlm/core/error.h"

namespace fs = std::filesystem;

namespace tlm::tools {
namespace {

// The inputs of a model in the order of the file, for data that carries no names.
const NamedTensor* find_input(const std::vector<NamedTensor>& inputs, const std::string& name, size_t position) {
  for (const NamedTensor& t : inputs)
    if (t.name == name) return &t;
  return position < inputs.size() && inputs[position].name.empty() ? &inputs[position] : nullptr;
}

bool is_shape_like(const Tensor& t) { return (t.dtype() == DType::kI64 || t.dtype() == DType::kI32) && t.size() <= 1024; }

}  // namespace

std::vector<NamedTensor> read_data_files(const fs::path& folder, const std::string& prefix) {
  std::vector<NamedTensor> tensors;
  for (int i = 0;; ++i) {
    const fs::path file = folder / (prefix + "_" + std::to_string(i) + ".pb");
    if (!fs::exists(file)) break;
    NamedTensor t;
    t.tensor = ir::read_tensor_proto(file, &t.name);
    tensors.push_back(std::move(t));
  }
  return tensors;
}

ir::Graph import_with_data(const Engine& engine, const fs::path& model, ir::OnnxOptions options, const std::vector<NamedTensor>& inputs) {
  try {
    return engine.import(model, options);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kUnsupported) throw;
    bool any = false;
    for (const NamedTensor& t : inputs) {
      if (t.name.empty() || !is_shape_like(t.tensor)) continue;
      options.bound[t.name] = t.tensor;
      any = true;
    }
    if (!any) throw;
  }
  return engine.import(model, options);
}

void set_inputs(runtime::Session& session, const std::vector<NamedTensor>& inputs) {
  const auto& ports = session.package().manifest().inputs;
  for (size_t i = 0; i < ports.size(); ++i) {
    const NamedTensor* t = find_input(inputs, ports[i].name, i);
    if (!t) throw Error(ErrorCode::kUsage, "no data for input '" + ports[i].name + "'");
    if (t->tensor.dtype() != ports[i].dtype || t->tensor.shape() != ports[i].shape)
      throw Error(ErrorCode::kUsage, "input '" + ports[i].name + "' is " + std::string(dtype_name(ports[i].dtype)) + to_string(ports[i].shape) +
                                         ", the data is " + std::string(dtype_name(t->tensor.dtype())) + to_string(t->tensor.shape()));
    if (t->tensor.bytes() > 0) std::memcpy(session.input(static_cast<int>(i)), t->tensor.data(), t->tensor.bytes());
  }
}

Tensor get_output(runtime::Session& session, int index) {
  const auto& port = session.package().manifest().outputs[static_cast<size_t>(index)];
  Tensor t(port.dtype, port.shape);
  if (t.bytes() > 0) std::memcpy(t.mutable_data(), session.output(index), t.bytes());
  return t;
}

}  // namespace tlm::tools
