// A private folder for intermediate files, removed with all it holds.
#pragma once

#include <filesystem>

namespace tlm::codegen {

class TempFolder {
 public:
  TempFolder();   // mode 0700, below the system's temporary folder; Error(kEnvironment)
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tlm::codegen
