// Files that a command is going to write, looked at before the work begins.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tlm::tools {

struct OutputFile {
  std::string option;          // for messages: "--report"
  std::filesystem::path path;  // empty: not wanted
};

// Throws Error(kUsage) when an output is one of the inputs or another output, Error(kEnvironment) when it cannot be written
// there. Creates nothing that stays.
void check_output_files(const std::vector<OutputFile>& outputs, const std::vector<std::filesystem::path>& inputs);

// Creates the folder if need be. Throws Error(kEnvironment) when files cannot be written into it.
void prepare_output_folder(const std::filesystem::path& folder);

// `name` as a file name: letters, digits, '-', '_' and '.', the others replaced, not hidden.
std::string as_file_name(const std::string& name);

}  // namespace tlm::tools
