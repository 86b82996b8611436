#include "tlm/tools/tlm/data_set.h"

#include <algorithm>
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

ir::Graph import_with_data(const Engine& engine, const fs::path& model, ir::OnnxOptions options,
                           const std::vector<NamedTensor>& inputs) {
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

std::vector<std::string> unread_inputs(const ir::Graph& g) {
  std::vector<std::string> names;
  for (const ir::ValueId v : g.inputs)
    if (g.readers(v).empty() && !g.is_output(v)) names.push_back(g.value(v).name);
  return names;
}

Tensor as_declared(const Tensor& t, DType declared) {
  if (t.dtype() != DType::kU16 || declared != DType::kBF16) return t;
  return Tensor(DType::kBF16, t.shape(), t.data(), std::make_shared<const Tensor>(t));
}

void set_inputs(runtime::Session& session, const std::vector<NamedTensor>& inputs, const std::vector<std::string>& unread) {
  const auto& ports = session.package().manifest().inputs;
  for (size_t i = 0; i < ports.size(); ++i) {
    void* buffer = session.input(static_cast<int>(i));  // zeros
    if (std::find(unread.begin(), unread.end(), ports[i].name) != unread.end()) continue;
    const NamedTensor* given = find_input(inputs, ports[i].name, i);
    if (!given) throw Error(ErrorCode::kUsage, "no data for input '" + ports[i].name + "'");
    const Tensor t = as_declared(given->tensor, ports[i].dtype);
    if (t.dtype() != ports[i].dtype || t.shape() != ports[i].shape)
      throw Error(ErrorCode::kUsage, "input '" + ports[i].name + "' is " + std::string(dtype_name(ports[i].dtype)) +
                                         to_string(ports[i].shape) + ", the data is " + std::string(dtype_name(t.dtype())) +
                                         to_string(t.shape()));
    if (t.bytes() > 0) std::memcpy(buffer, t.data(), t.bytes());
  }
}

Tensor get_output(runtime::Session& session, int index) {
  const auto& port = session.package().manifest().outputs[static_cast<size_t>(index)];
  Tensor t(port.dtype, port.shape);
  if (t.bytes() > 0) std::memcpy(t.mutable_data(), session.output(index), t.bytes());
  return t;
}

}  // namespace tlm::tools
