#include "tlm/tools/tlm/output_files.h"

#include <cctype>

#include "tlm/core/error.h"
#include "tlm/core/file.h"

namespace fs = std::filesystem;

namespace tlm::tools {
namespace {

// Devices and pipes may be written several times; two names of one regular file may not.
bool is_stream(const fs::path& p) {
  std::error_code error;
  const fs::file_status status = fs::status(p, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  return fs::weakly_canonical(fs::absolute(a), error) == fs::weakly_canonical(fs::absolute(b), error);
}

}  // namespace

void check_output_files(const std::vector<OutputFile>& outputs, const std::vector<fs::path>& inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const OutputFile& o = outputs[i];
    if (o.path.empty() || is_stream(o.path)) continue;
    for (const fs::path& input : inputs)
      if (std::error_code error; !input.empty() && fs::equivalent(o.path, input, error))
        throw Error(ErrorCode::kUsage, o.option + " would overwrite an input", o.path.string(), "give the output another name");
    for (size_t k = 0; k < i; ++k)
      if (!outputs[k].path.empty() && same_file(o.path, outputs[k].path))
        throw Error(ErrorCode::kUsage, outputs[k].option + " and " + o.option + " name the same file", o.path.string());
    std::error_code error;
    if (!fs::exists(o.path, error) && error)
      throw Error(ErrorCode::kEnvironment, "cannot write the file: " + error.message(), o.path.string());
    AtomicFile probe(o.path);  // removed again as it is not committed
  }
}

void prepare_output_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw Error(ErrorCode::kEnvironment, "cannot create the folder: " + (error ? error.message() : "a file has this name"),
                folder.string());
  AtomicFile probe(folder / "tlm");
}

std::string as_file_name(const std::string& name) {
  std::string safe = name.substr(0, 200);
  for (char& c : safe)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return safe.empty() || safe[0] == '.' ? "_" + safe : safe;
}

}  // namespace tlm::tools
