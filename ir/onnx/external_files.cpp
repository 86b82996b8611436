#include "tlm/core/error.h"
#include "tlm/ir/onnx/tensor_proto.h"

namespace tlm::ir {

namespace fs = std::filesystem;

std::shared_ptr<const MappedFile> ExternalFiles::open(const std::string& location) {
  const std::string where = "external data '" + location + "'";
  if (!allowed_)
    throw Error(ErrorCode::kUnsupported, "a model in memory has external data", where, "read the model from its file");
  const auto it = open_.find(location);
  if (it != open_.end()) return it->second;

  const fs::path relative(location);
  bool inside = !location.empty() && location.find('\0') == std::string::npos && !relative.is_absolute();
  for (const fs::path& part : relative) inside = inside && part != "..";
  if (!inside) throw Error(ErrorCode::kBadModel, "external data lies outside the model's folder", where);
  // Symbolic links are followed to their end, which must lie below the (resolved) folder too.
  std::error_code failed;
  const fs::path folder = fs::canonical(folder_.empty() ? fs::path(".") : folder_, failed);
  if (failed) throw Error(ErrorCode::kEnvironment, "cannot resolve the model's folder: " + failed.message(), folder_.string());
  const fs::path file = fs::canonical(folder / relative, failed);
  if (failed) throw Error(ErrorCode::kEnvironment, "cannot open external data: " + failed.message(), where);
  auto f = folder.begin(), p = file.begin();
  for (; f != folder.end(); ++f, ++p)
    if (p == file.end() || *p != *f) throw Error(ErrorCode::kBadModel, "external data lies outside the model's folder", where);
  return open_[location] = MappedFile::open(file);
}

}  // namespace tlm::ir
