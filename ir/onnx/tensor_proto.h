// TensorProto → Tensor. Private to ir/onnx: the only headers that see the generated messages are here.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "tlm/core/file.h"
#include "tlm/core/tensor.h"
#include "tlm_onnx.pb.h"

namespace tlm::ir {

namespace proto = tlm::onnx_private;

// The files beside a model that hold its weights. Each is mapped once. A location must stay inside the model's folder: relative,
// without "..", and no symbolic link may lead out of it.
class ExternalFiles {
 public:
  ExternalFiles() = default;  // a model in memory: every location is refused
  explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)), allowed_(true) {}
  // Throws Error(kBadModel) for a location outside, kUnsupported for a model in memory, kEnvironment if it cannot be read.
  std::shared_ptr<const MappedFile> open(const std::string& location);

 private:
  std::filesystem::path folder_;
  bool allowed_ = false;
  std::map<std::string, std::shared_ptr<const MappedFile>> open_;
};

// Takes the message's raw bytes without a copy (it is left without them). Sizes are checked before anything is allocated.
// Throws Error: kBadModel (sizes that disagree, negative or overflowing extents), kUnsupported (strings, complex numbers,
// segments).
Tensor take_tensor(proto::TensorProto& t, ExternalFiles& files);

}  // namespace tlm::ir
