#include "tlm/ir/onnx/onnx_reader.h"

#include <limits>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/ir/onnx/importer.h"

namespace tlm::ir {

namespace {

// Parsing does not allocate more than the bytes at hand can fill: lengths are checked against what is left.
template <typename Message>
void parse(Message& m, std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    throw Error(ErrorCode::kBadModel, "the file has " + std::to_string(bytes.size()) + " bytes; a protobuf has at most 2 GiB",
                name, "store the weights as external data");
  if (!m.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw Error(ErrorCode::kBadModel, "not a well-formed ONNX file", name);
}

Graph import_model(std::span<const std::byte> bytes, const std::string& name, ExternalFiles files, const OnnxOptions& options) {
  proto::ModelProto model;
  parse(model, bytes, name);
  if (!model.has_graph()) throw Error(ErrorCode::kBadModel, "the file holds no model graph", name);
  try {
    return Importer(model, std::move(files), options).run();
  } catch (const InternalError&) {
    throw;
  } catch (const Error& e) {
    throw Error(e.code(), e.message(), e.where().empty() ? name : name + ": " + e.where(), e.hint());
  }
}

}  // namespace

Graph read_onnx(const std::filesystem::path& file, const OnnxOptions& options) {
  const auto mapped = MappedFile::open(file);
  return import_model(mapped->bytes(), file.string(), ExternalFiles(file.parent_path()), options);
}

Graph read_onnx(std::span<const std::byte> bytes, const std::string& name, const OnnxOptions& options) {
  return import_model(bytes, name, {}, options);
}

Tensor read_tensor_proto(const std::filesystem::path& file, std::string* name) {
  const auto mapped = MappedFile::open(file);
  proto::TensorProto message;
  parse(message, mapped->bytes(), file.string());
  if (name) *name = message.name();
  ExternalFiles files(file.parent_path());
  try {
    return take_tensor(message, files);
  } catch (const InternalError&) {
    throw;
  } catch (const Error& e) {
    throw Error(e.code(), e.message(), file.string() + ": " + e.where(), e.hint());
  }
}

}  // namespace tlm::ir
