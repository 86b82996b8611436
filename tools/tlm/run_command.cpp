#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <CLI/CLI.hpp>

#include "tlm/codegen/random_tensor.h"
#include "tlm/core/error.h"
#include "tlm/core/npy.h"
#include "tlm/core/thread_pool.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/data_set.h"
#include "tlm/tools/tlm/engine_flags.h"

namespace fs = std::filesystem;

namespace tlm::tools {
namespace {

struct Options {
  std::string model, output_dir;
  std::vector<std::string> inputs;
  int run_threads = 0;
  EngineFlags flags;
};

std::vector<NamedTensor> read_inputs(const std::vector<std::string>& specs) {
  std::vector<NamedTensor> inputs;
  for (const std::string& spec : specs) {
    const size_t equals = spec.find('=');
    if (equals == std::string::npos || equals == 0) throw Error(ErrorCode::kUsage, "--input wants NAME=FILE, not '" + spec + "'");
    const fs::path file = spec.substr(equals + 1);
    if (file.extension() != ".npy" && file.extension() != ".pb")
      throw Error(ErrorCode::kUsage, "an input file ends in .npy or .pb", file.string());
    inputs.push_back({spec.substr(0, equals), file.extension() == ".npy" ? read_npy(file) : ir::read_tensor_proto(file)});
  }
  return inputs;
}

// Inputs that are not given are drawn, so that a network can be tried at once.
void add_random_inputs(const runtime::Package& package, std::vector<NamedTensor>& inputs) {
  Rng rng(0);
  for (const NamedTensor& given : inputs) {
    const auto& ports = package.manifest().inputs;
    if (std::any_of(ports.begin(), ports.end(), [&](const auto& p) { return p.name == given.name; })) continue;
    std::string names;
    for (const auto& p : ports) names += (names.empty() ? "" : ", ") + p.name;
    throw Error(ErrorCode::kUsage, "the model has no input '" + given.name + "'", "", "its inputs: " + names);
  }
  for (const runtime::PortDesc& port : package.manifest().inputs) {
    if (std::any_of(inputs.begin(), inputs.end(), [&](const NamedTensor& t) { return t.name == port.name; })) continue;
    std::fprintf(stderr, "tlm: input '%s' is not given: using random values (seed 0)\n", port.name.c_str());
    inputs.push_back({port.name, codegen::random_tensor(port.dtype, port.shape, rng)});
  }
}

void print_output(const std::string& name, const Tensor& t) {
  std::printf("%s %s%s", name.c_str(), std::string(dtype_name(t.dtype())).c_str(), to_string(t.shape()).c_str());
  if (t.size() == 0) {
    std::printf("\n");
    return;
  }
  std::vector<int64_t> order(static_cast<size_t>(t.size()));
  double low = INFINITY, high = -INFINITY, sum = 0;
  for (int64_t i = 0; i < t.size(); ++i) {
    order[static_cast<size_t>(i)] = i;
    low = std::min(low, t.at_f64(i)), high = std::max(high, t.at_f64(i)), sum += t.at_f64(i);
  }
  std::printf("  min %g  max %g  mean %g\n", low, high, sum / static_cast<double>(t.size()));
  const size_t top = std::min<size_t>(5, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(), [&](int64_t a, int64_t b) {
    return t.at_f64(a) > t.at_f64(b) || (t.at_f64(a) == t.at_f64(b) && a < b);
  });
  for (size_t i = 0; i < top; ++i) std::printf("  #%zu  index %lld  %g\n", i + 1, static_cast<long long>(order[i]), t.at_f64(order[i]));
}

// A name that is safe as a file name.
std::string file_name(const std::string& name) {
  std::string safe = name;
  for (char& c : safe)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return safe.empty() || safe[0] == '.' ? "_" + safe : safe;
}

int run(const Options& o, const CommandContext& context) {
  std::vector<NamedTensor> inputs = read_inputs(o.inputs);
  const auto package = open_package(o.model, o.flags, context);
  runtime::SessionOptions options;
  options.threads = o.run_threads;
  runtime::Session session(package, options);
  add_random_inputs(*package, inputs);
  set_inputs(session, inputs);
  for (size_t i = 0; i < package->manifest().outputs.size(); ++i) session.output(static_cast<int>(i));
  session.run_or_throw();
  if (!o.output_dir.empty()) fs::create_directories(o.output_dir);
  for (size_t i = 0; i < package->manifest().outputs.size(); ++i) {
    const Tensor t = get_output(session, static_cast<int>(i));
    const std::string& name = package->manifest().outputs[i].name;
    print_output(name, t);
    if (!o.output_dir.empty()) write_npy(fs::path(o.output_dir) / (file_name(name) + ".npy"), t);
  }
  return 0;
}

}  // namespace

void add_run_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run a package, or a model compiled on the fly, and print its outputs");
  command->add_option("MODEL", o->model, "Package (.tlm) or ONNX file")->required();
  command->add_option("--input", o->inputs, "NAME=FILE.npy or NAME=FILE.pb (repeatable); inputs not given are random");
  command->add_option("--output-dir", o->output_dir, "Write each output as NAME.npy into this folder");
  command->add_option("--threads", o->run_threads, "Threads to run on (default: all cores)")->check(CLI::NonNegativeNumber);
  o->flags.add_model_options(*command);
  command->callback([o, &context] { context.run = [o, &context] { return run(*o, context); }; });
}

}  // namespace tlm::tools
