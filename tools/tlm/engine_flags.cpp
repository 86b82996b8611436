#include "tlm/tools/tlm/engine_flags.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <CLI/CLI.hpp>

#include "tlm/core/error.h"
#include "tlm/core/runtime/package_format.h"

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
  command.add_option("--dim", dims, "Extent of a symbolic dimension, as NAME=N (repeatable)");
}

void EngineFlags::add_compile_options(CLI::App& command) {
  command.add_option("--target", target, "native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, … or a JSON file (`tlm target`)");
  command.add_option("--threads", threads, "Cores that the schedule is for (default: all of the target)")->check(CLI::NonNegativeNumber);
  command.add_option("--jobs", jobs, "Compile workers (default: all cores); never changes the result")->check(CLI::NonNegativeNumber);
  command.add_option("--scheduler", scheduler, "default, constructive or random");
  command.add_option("--seed", seed, "Seed of a scheduler that draws");
  command.add_option("--numerics", numerics, "fast or strict")->check(CLI::IsMember({"fast", "strict"}));
  command.add_option("--cc", c_compiler, "C compiler (default: cc, gcc or clang)");
  command.add_flag("--no-cache", no_cache, "Compile everything anew; keep nothing in the cache of compiled code");
}

EngineOptions EngineFlags::engine_options(const CommandContext& context, Progress* progress) const {
  EngineOptions options;
  options.target = load_target(target);
  if (threads > 0) options.target.cores = threads;
  options.target.numerics = numerics == "strict" ? Numerics::kStrict : Numerics::kFast;
  options.scheduler = scheduler;
  options.seed = seed;
  options.jobs = jobs;
  options.c_compiler = c_compiler;
  if (!no_cache) options.cache = default_cache();
  options.log = context.log;
  options.cancel = context.cancel;
  options.progress = progress;
  return options;
}

ir::OnnxOptions EngineFlags::onnx_options() const {
  ir::OnnxOptions options;
  for (const std::string& d : dims) {
    const size_t equals = d.find('=');
    int64_t n = 0;
    const char* begin = d.data() + equals + 1;
    const char* end = d.data() + d.size();
    if (equals == std::string::npos || equals == 0 || std::from_chars(begin, end, n).ptr != end || begin == end || n < 0)
      throw Error(ErrorCode::kUsage, "--dim wants NAME=N, not '" + d + "'");
    options.dims[d.substr(0, equals)] = n;
  }
  return options;
}

bool is_package(const fs::path& file) {
  char magic[sizeof runtime::kPackageMagic] = {};
  std::ifstream in(file, std::ios::binary);
  return in.read(magic, sizeof magic) && std::memcmp(magic, runtime::kPackageMagic, sizeof magic) == 0;
}

std::shared_ptr<const runtime::Package> open_package(const fs::path& file, const EngineFlags& flags, const CommandContext& context) {
  if (is_package(file)) return runtime::Package::load(file);
  ConsoleProgress progress;
  const Engine engine(flags.engine_options(context, &progress));
  return engine.compile_file(file, flags.onnx_options());
}

}  // namespace tlm::tools
