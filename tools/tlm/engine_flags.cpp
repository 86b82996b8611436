#include "tlm/tools/tlm/engine_flags.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tlm/core/error.h"
#include "tlm/core/runtime/package_format.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/dump.h"
#include "tlm/tools/tlm/table.h"

namespace fs = std::filesystem;

namespace tlm::tools {
namespace {

fs::path default_cache() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/') return fs::path(xdg) / "tlm";
  if (const char* home = std::getenv("HOME"); home && *home == '/') return fs::path(home) / ".cache" / "tlm";
  return {};
}

}  // namespace

void EngineFlags::add_model_options(CLI::App& command) {
  add_texts(command, "--dim", dims, "NAME=N", "Extent of a symbolic dimension of the model's inputs (repeatable)");
}

void EngineFlags::add_target_options(CLI::App& command) {
  std::string names;
  for (const std::string& n : target_names()) names += (names.empty() ? "" : ", ") + n;
  add_text(command, "--target", target, "NAME|FILE.json",
           "Machine to prepare for: " + names + ", or a file as `tlm target` prints it (default: native, this machine)");
  add_number(command, "--threads", threads, "T",
             "Cores that the schedules are for (default: as the target's file says, else all of this machine)", 1, kMaxThreads);
  command.add_option("--numerics", numerics, "fast (Winograd, fused multiply-adds) or strict (default: fast)")
      ->option_text("fast|strict")
      ->check(CLI::IsMember({"fast", "strict"}));
}

void EngineFlags::add_lm_options(CLI::App& command) {
  std::string names;
  const lm::StrategyTable table = lm::standard_strategies();
  for (const lm::StrategyInfo& s : table.infos())
    names += (names.empty() ? "" : "; ") + std::string(s.name) + " (" + s.parameters + ")";
  add_text(
      command, "--model", lm_model, "FOLDER",
      "Checkpoint of the language model: config.json, model.safetensors, language.json (default: the weights that are built in)");
  add_text(command, "--decode", decode, "STRATEGY[:NAME=VALUE,…]",
           "How the language model's sentences are decoded: " + names + " (default: greedy; gumbel where several are wanted)");
}

void EngineFlags::add_compile_options(CLI::App& command) {
  std::string names;
  for (const std::string& n : scheduler_names()) names += (names.empty() ? "" : ", ") + n;
  add_text(command, "--scheduler", scheduler, "NAME",
           "Who chooses the schedules: " + names + " (default: lm where there are weights for the target, else constructive)");
  add_lm_options(command);
  add_number(command, "--seed", seed, "S", "Seed of a scheduler that draws (default: 0)");
  add_number(command, "--jobs", jobs, "J", "Compile workers; they never change a byte of the result (default: all cores)", 1,
             kMaxJobs);
  add_text(command, "--cc", c_compiler, "PROGRAM",
           "C compiler (default: cc, gcc or clang; a cross compiler for another architecture)");
  command.add_flag("--no-cache", no_cache, "Compile everything anew and keep nothing for the next time");
}

EngineOptions EngineFlags::engine_options(const CommandContext& context, Progress* progress) const {
  EngineOptions options;
  options.target = load_target(target);
  if (threads > 0) {
    options.target.cores = threads;
  } else if (const auto names = target_names();
             options.target.device == DeviceKind::kCpu && std::find(names.begin(), names.end(), target) != names.end()) {
    options.target.cores = host_target().cores;  // a name says nothing of cores, a file does
  }
  options.target.numerics = numerics == "strict" ? Numerics::kStrict : Numerics::kFast;
  options.scheduler = scheduler;
  options.lm.model = lm_model;
  options.lm.decode = decode;
  if (!(lm_model + decode).empty() && scheduler != "default" && scheduler != "lm")
    throw Error(ErrorCode::kUsage, "--model and --decode are for --scheduler lm, not for " + scheduler);
  if (!decode.empty() && scheduler == "default" && resolved_scheduler(options) != "lm") options.scheduler = "lm";
  options.seed = seed;
  options.jobs = jobs;
  options.c_compiler = c_compiler;
  if (!no_cache) options.cache = default_cache();
  options.log = context.log;
  options.cancel = context.cancel;
  options.progress = progress;
  if (const char* names = std::getenv("TLM_DUMP"); names && *names) options.dump = dump_to_files(names);
  if (const char* time = std::getenv("TLM_TIME"); time && *time && std::string(time) != "0")
    options.time = [](const std::string& step, double ms) {
      std::fprintf(stderr, "tlm: time: %10s ms  %s\n", fixed(ms, 3).c_str(), step.c_str());
    };
  return options;
}

ir::OnnxOptions EngineFlags::onnx_options() const {
  ir::OnnxOptions options;
  for (const std::string& d : dims) {
    const size_t equals = d.find('=');
    int64_t n = 0;
    const char* begin = d.data() + equals + 1;
    const char* end = d.data() + d.size();
    const std::string name = d.substr(0, equals);
    std::from_chars_result number{};
    if (equals != std::string::npos) number = std::from_chars(begin, end, n);
    if (equals == std::string::npos || equals == 0 || begin == end || number.ec != std::errc() || number.ptr != end || n < 0)
      throw Error(ErrorCode::kUsage, "--dim wants NAME=N with a whole number N, not '" + d + "'");
    if (options.dims.contains(name)) throw Error(ErrorCode::kUsage, "--dim '" + name + "' is given twice");
    options.dims[name] = n;
  }
  return options;
}

bool is_package(const fs::path& file) {
  char magic[sizeof runtime::kPackageMagic] = {};
  const int fd = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // non-blocking: a pipe without a writer must not hang
  if (fd < 0) return false;
  const ssize_t got = ::pread(fd, magic, sizeof magic, 0);
  ::close(fd);
  return got == static_cast<ssize_t>(sizeof magic) && std::memcmp(magic, runtime::kPackageMagic, sizeof magic) == 0;
}

std::shared_ptr<const runtime::Package> open_package(const fs::path& file, const EngineFlags& flags,
                                                     const CommandContext& context) {
  if (is_package(file)) return runtime::Package::load(file);
  ConsoleProgress progress;
  const Engine engine(flags.engine_options(context, &progress));
  return engine.compile_file(file, flags.onnx_options());
}

}  // namespace tlm::tools
