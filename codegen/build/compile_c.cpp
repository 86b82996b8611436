#include "tlm/codegen/build/compile_c.h"

#include <filesystem>

#include "tlm/codegen/build/process.h"
#include "tlm/codegen/build/run_jobs.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/codegen/source/c_flags.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/version.h"

namespace fs = std::filesystem;

namespace tlm::codegen {
namespace {

std::vector<std::byte> to_bytes(const std::string& text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

// Lines with "error" first; else the beginning.
std::string digest(const std::string& log) {
  std::string lines;
  for (size_t begin = 0; begin < log.size() && lines.size() < 2000;) {
    const size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (line.find("error") != std::string::npos) lines += line + "\n";
    begin = end + 1;
  }
  std::string text = lines.empty() ? log.substr(0, 2000) : lines;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Does the log complain about generated code? All else (options, missing parts, memory, disk) is the compiler's surroundings.
bool blames_source(const std::string& log) {
  for (const char* sign : {"<stdin>:", "undefined reference", "undefined symbol", "multiple definition"})
    if (log.find(sign) != std::string::npos && log.find("No space left") == std::string::npos) return true;
  return false;
}

// Runs a compiler that is to write `result`. `temp`: for its intermediate files, so that none outlives the folder.
void run_tool(const std::vector<std::string>& argv, const std::string& input, const BuildOptions& options, const char* what,
              const fs::path& temp, const fs::path& result) {
  ProcessOptions process;
  process.cancel = options.cancel;
  process.environment = {"TMPDIR=" + temp.string()};
  const ProcessResult r = run_process(argv, input, process);
  if (r.cancelled) throw Error(ErrorCode::kInterrupted, "interrupted");
  if (r.timed_out) throw Error(ErrorCode::kEnvironment, std::string(what) + " took longer than 120 s and was stopped", argv[0]);
  if (r.exit_code == 0 && fs::exists(result)) return;
  if (r.exit_code == 0)
    throw Error(ErrorCode::kEnvironment, std::string(what) + " wrote no file", argv[0], "name another compiler (--cc)");
  if (r.exit_code > 128 || !blames_source(r.output)) {
    const std::string how = r.exit_code > 128 ? " was ended by signal " + std::to_string(r.exit_code - 128) : " failed";
    const std::string log = digest(r.output);
    throw Error(ErrorCode::kEnvironment, std::string(what) + how + (log.empty() ? "" : ": " + log), argv[0],
                "free disk space or memory, or name another compiler (--cc)");
  }
  throw InternalError(
      ErrorCode::kInternal,
      std::string(what) + " rejected generated code (exit " + std::to_string(r.exit_code) + "): " + digest(r.output), argv[0]);
}

bool same_arch(const Target& target) {
#if defined(__x86_64__)
  return target.arch == "x86-64";
#elif defined(__aarch64__)
  return target.arch == "aarch64";
#else
  return false;
#endif
}

std::vector<std::string> with(std::vector<std::string> argv, std::initializer_list<std::string> more) {
  argv.insert(argv.end(), more);
  return argv;
}

}  // namespace

CToolchain find_c_toolchain(const Target& target, const std::string& program, const CancelToken& cancel) {
  ProcessOptions question;
  question.deadline_s = 10;
  question.cancel = cancel;
  std::vector<std::string> names;
  if (!program.empty()) {
    names = {program};
  } else if (same_arch(target)) {
    names = {"cc", "gcc", "clang"};
  } else {
    names = {target.arch == "aarch64" ? "aarch64-linux-gnu-gcc" : "x86_64-linux-gnu-gcc"};
  }
  std::string tried;
  for (const std::string& name : names) {
    CToolchain t;
    t.program = find_program(name);
    tried += (tried.empty() ? "" : ", ") + name;
    if (t.program.empty()) continue;
    const ProcessResult version = run_process({t.program, "--version"}, "", question);
    const ProcessResult machine = run_process({t.program, "-dumpmachine"}, "", question);
    cancel.check();
    if (version.exit_code != 0 || machine.exit_code != 0) continue;
    t.identity = version.output.substr(0, version.output.find('\n')) + " " + machine.output.substr(0, machine.output.find('\n'));
    return t;
  }
  if (!program.empty())
    throw Error(ErrorCode::kEnvironment, "not a C compiler: it is not there, or does not answer --version and -dumpmachine",
                program, "name a C compiler with --cc, or leave --cc out");
  throw Error(ErrorCode::kEnvironment, "no C compiler for " + target.arch + " (looked for " + tried + " in PATH)", "",
              same_arch(target) ? "install one (Debian: apt-get install gcc)"
                                : "install one (Debian: apt-get install gcc-aarch64-linux-gnu)");
}

std::vector<std::byte> build_image(const std::vector<std::string>& units, const Target& target, const CToolchain& toolchain,
                                   const BuildOptions& options) {
  TempFolder folder;
  std::vector<std::string> compile = {toolchain.program};
  const bool clang = toolchain.identity.find("clang") != std::string::npos;
  for (const std::string& flag : c_flags(target))
    if (!clang || !flag.starts_with("-ffixed-")) compile.push_back(flag);
  std::string flags_text;
  for (const std::string& flag : compile) flags_text += flag + "\n";

  const int total = static_cast<int>(units.size());
  std::vector<fs::path> objects;
  for (int i = 0; i < total; ++i) objects.push_back(folder.path() / ("unit" + std::to_string(i) + ".o"));
  ProgressTask progress(options.progress ? *options.progress : no_progress(), "compile", total);
  run_jobs(options.jobs, total, [&](int i) {
    options.cancel.check();
    const std::string& source = units[static_cast<size_t>(i)];
    const fs::path& object = objects[static_cast<size_t>(i)];
    const std::string key = std::string(kEngineVersion) + "\n" + toolchain.identity + "\n" + flags_text + source;
    if (auto hit = options.cache ? options.cache->get(key) : std::nullopt) {
      write_file_atomic(object, {reinterpret_cast<const char*>(hit->data()), hit->size()});
    } else {
      run_tool(with(compile, {"-c", "-x", "c", "-", "-o", object.string()}), source, options, "the C compiler", folder.path(),
               object);
      if (options.cache) options.cache->put(key, to_bytes(read_file(object)));
    }
    progress.advance();
  });

  const fs::path image = folder.path() / "image.so";
  std::vector<std::string> link = {toolchain.program,
                                   "-shared",
                                   "-nostdlib",
                                   "-s",
                                   "-Wl,--build-id=none",
                                   "-Wl,--hash-style=sysv",
                                   "-Wl,-z,defs",
                                   "-Wl,-z,noexecstack",
                                   "-Wl,-z,max-page-size=4096",
                                   "-o",
                                   image.string()};
  for (const fs::path& o : objects) link.push_back(o.string());
  run_tool(link, "", options, "the linker", folder.path(), image);
  return to_bytes(read_file(image));
}

}  // namespace tlm::codegen
