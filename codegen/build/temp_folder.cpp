#include "tlm/codegen/build/temp_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tlm/core/error.h"

namespace tlm::codegen {

TempFolder::TempFolder() {
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) base = "/tmp";
  std::string pattern = (base / "tlm-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    throw Error(ErrorCode::kEnvironment, std::string("cannot create a temporary folder: ") + std::strerror(errno), base.string(),
                "free some space or set TMPDIR to a folder that can be written");
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tlm::codegen
