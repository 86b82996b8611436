// Test data in the ONNX layout: DIR/input_0.pb …, DIR/output_0.pb ….
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tlm/core/runtime/session.h"
#include "tlm/core/tensor.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/tools/engine/engine.h"

namespace tlm::tools {

struct NamedTensor {
  std::string name;  // may be empty
  Tensor tensor;
};

// `prefix`_0.pb, `prefix`_1.pb, … as long as there is one. Throws Error.
std::vector<NamedTensor> read_data_files(const std::filesystem::path& folder, const std::string& prefix);

// Imports a model; when shapes depend on integer inputs, these are bound to the data and are inputs no longer.
ir::Graph import_with_data(const Engine& engine, const std::filesystem::path& model, ir::OnnxOptions options,
                           const std::vector<NamedTensor>& inputs);

// Copies the data into the session's inputs: by name, else by position among `inputs`. Throws Error(kUsage) when types or shapes
// differ, but for the inputs in `unread`, which nothing depends on.
void set_inputs(runtime::Session& session, const std::vector<NamedTensor>& inputs, const std::vector<std::string>& unread = {});
std::vector<std::string> unread_inputs(const ir::Graph& g);
// Test data of opset 16 and older holds bfloat16 as its bits in uint16 tensors.
Tensor as_declared(const Tensor& t, DType declared);
Tensor get_output(runtime::Session& session, int index);

}  // namespace tlm::tools
