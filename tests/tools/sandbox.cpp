#include "sandbox.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tlm/codegen/build/process.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"

namespace fs = std::filesystem;

namespace tlm::tools::test {
namespace {

constexpr char kProgram[] = TLM_BINARY_DIR "/bin/tlm";

// Compiled code is shared by all tests of the process.
const fs::path& cache() {
  static const codegen::TempFolder folder;
  return folder.path();
}

}  // namespace

Sandbox::Sandbox() {
  fs::create_directory(folder_.path() / "work");
  fs::create_directory(temp());
}

Outcome Sandbox::tlm(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) const {
  const fs::path out = folder_.path() / "stdout", err = folder_.path() / "stderr";
  std::vector<std::string> argv = {"/bin/sh",
                                   "-c",
                                   R"(cd "$1" && exec </dev/null >"$2" 2>"$3" && shift 3 && exec "$@")",
                                   "sh",
                                   path("").string(),
                                   out.string(),
                                   err.string(),
                                   kProgram};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  codegen::ProcessOptions options;
  options.environment = {"TMPDIR=" + temp().string(), "XDG_CACHE_HOME=" + cache().string()};
  for (const std::string& e : environment) {
    std::erase_if(options.environment, [&](const std::string& o) { return o.starts_with(e.substr(0, e.find('=') + 1)); });
    options.environment.push_back(e);
  }
  const codegen::ProcessResult r = codegen::run_process(argv, "", options);
  EXPECT_FALSE(r.timed_out);
  EXPECT_TRUE(fs::is_empty(temp())) << "temporary files of tlm " << ::testing::PrintToString(arguments);
  return {r.exit_code, read_file(out), read_file(err)};
}

Outcome Sandbox::shell(const std::string& script) const {
  codegen::ProcessOptions options;
  options.environment = {"TMPDIR=" + temp().string(), "XDG_CACHE_HOME=" + cache().string(), "TLM=" + std::string(kProgram)};
  const codegen::ProcessResult r =
      codegen::run_process({"/bin/bash", "-c", "cd \"$0\"\n" + script, path("").string()}, "", options);
  EXPECT_FALSE(r.timed_out);
  return {r.exit_code, r.output, ""};
}

void Sandbox::refuses(const std::vector<std::string>& arguments, int code, const std::string& message,
                      const std::vector<std::string>& environment) const {
  const auto before = files();
  const Outcome r = tlm(arguments, environment);
  const std::string call = "tlm " + ::testing::PrintToString(arguments);
  EXPECT_EQ(r.code, code) << call << "\n" << r.err;
  EXPECT_NE(r.err.find(message), std::string::npos) << call << "\n" << r.err;
  EXPECT_NE(r.err.find("tlm: error: "), std::string::npos) << call << "\n" << r.err;
  EXPECT_EQ(files(), before) << call;
}

std::string Sandbox::zoo(const std::string& name) const {
  const std::string file = name + ".onnx";
  if (!exists(file)) {
    EXPECT_EQ(tlm({"zoo", name, "-o", file}).code, 0);
  }
  return file;
}

std::string Sandbox::package(const std::string& name) const {
  const std::string file = name + ".tlm";
  if (!exists(file)) {
    EXPECT_EQ(tlm({"compile", zoo(name), "-o", file}).code, 0);
  }
  return file;
}

void Sandbox::write(const std::string& file, const std::string& contents) const {
  fs::create_directories(path(file).parent_path());
  write_file_atomic(path(file), contents);
}

std::string Sandbox::read(const std::string& file) const { return read_file(path(file)); }

std::map<std::string, std::string> Sandbox::files() const {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(path(""))) {
    const std::string name = fs::relative(entry.path(), path("")).string();
    if (!entry.is_regular_file()) {
      all[name] = "";
      continue;
    }
    const std::string contents = read_file(entry.path());
    all[name] = to_hex(hash_bytes(contents.data(), contents.size()));
  }
  return all;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

}  // namespace tlm::tools::test
