// A folder in which tests run bin/tlm as a process and see what it leaves behind.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tlm/codegen/build/temp_folder.h"

namespace tlm::tools::test {

struct Outcome {
  int code = 0;  // 128 + signal when killed by one
  std::string out, err;
};

class Sandbox {
 public:
  Sandbox();

  // tlm with these arguments, in this folder. `environment`: "NAME=value". Expects that no temporary file stays.
  Outcome tlm(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) const;
  // A shell script in this folder, which finds the program as "$TLM". Its own output is in `out`, stderr as well.
  Outcome shell(const std::string& script) const;
  // tlm with these arguments must end with `code` and a message that holds `message`, and change no file.
  void refuses(const std::vector<std::string>& arguments, int code, const std::string& message,
               const std::vector<std::string>& environment = {}) const;

  // tlm zoo NAME; returns the file's name.
  std::string zoo(const std::string& name) const;
  // The same, compiled.
  std::string package(const std::string& name) const;
  void write(const std::string& file, const std::string& contents) const;
  std::string read(const std::string& file) const;
  bool exists(const std::string& file) const { return std::filesystem::exists(path(file)); }
  std::filesystem::path path(const std::string& file) const { return folder_.path() / "work" / file; }
  std::filesystem::path temp() const { return folder_.path() / "tmp"; }
  // Names of all files below the folder, with a digest of their contents.
  std::map<std::string, std::string> files() const;

 private:
  codegen::TempFolder folder_;
};

// "compile net.onnx -o net.tlm" → its words.
std::vector<std::string> words(const std::string& text);

}  // namespace tlm::tools::test
