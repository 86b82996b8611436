// ONNX model file → Graph with static shapes.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

struct OnnxOptions {
  std::map<std::string, int64_t> dims;    // symbolic dimension → extent (--dim NAME=N)
  std::map<std::string, Tensor> bound;    // graph inputs turned into constants (integer inputs that determine shapes)
  int64_t max_bytes = int64_t{16} << 30;  // refuse models that announce more memory than this
};

// Throws Error: kBadModel (malformed, wrong shapes or types, cycles, missing values, external data outside the model's folder),
// kUnsupported (all unsupported nodes at once, with operator, opset and node name), kEnvironment (cannot read).
Graph read_onnx(const std::filesystem::path& file, const OnnxOptions& options = {});
// From memory; external data is refused.
Graph read_onnx(std::span<const std::byte> bytes, const std::string& name, const OnnxOptions& options = {});

// One TensorProto (DIR/input_0.pb of a test data set); `name`, if given, receives its name. Throws Error as read_onnx does.
Tensor read_tensor_proto(const std::filesystem::path& file, std::string* name = nullptr);

}  // namespace tlm::ir
