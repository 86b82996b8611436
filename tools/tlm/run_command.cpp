#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tlm/codegen/random_tensor.h"
#include "tlm/core/error.h"
#include "tlm/core/npy.h"
#include "tlm/core/thread_pool.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/data_set.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/output_files.h"
#include "tlm/tools/tlm/table.h"

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
    const std::string name = spec.substr(0, equals);
    if (std::any_of(inputs.begin(), inputs.end(), [&](const NamedTensor& t) { return t.name == name; }))
      throw Error(ErrorCode::kUsage, "--input '" + name + "' is given twice");
    const fs::path file = spec.substr(equals + 1);
    if (file.extension() != ".npy" && file.extension() != ".pb")
      throw Error(ErrorCode::kUsage, "an input file ends in .npy or .pb", file.string());
    inputs.push_back({name, file.extension() == ".npy" ? read_npy(file) : ir::read_tensor_proto(file)});
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
  std::string drawn;
  int count = 0;
  for (const runtime::PortDesc& port : package.manifest().inputs) {
    if (std::any_of(inputs.begin(), inputs.end(), [&](const NamedTensor& t) { return t.name == port.name; })) continue;
    inputs.push_back({port.name, codegen::random_tensor(port.dtype, port.shape, rng)});
    if (++count <= 5) drawn += (drawn.empty() ? "'" : ", '") + printable(port.name) + "'";
  }
  if (count > 5) drawn += " and " + std::to_string(count - 5) + " more";
  if (count > 0) std::fprintf(stderr, "tlm: random values (seed 0) for inputs that are not given: %s\n", drawn.c_str());
}

void print_output(const std::string& name, const Tensor& t) {
  std::printf("%s %s%s", printable(name).c_str(), std::string(dtype_name(t.dtype())).c_str(), to_string(t.shape()).c_str());
  if (t.size() == 0) {
    std::printf("\n");
    return;
  }
  double low = INFINITY, high = -INFINITY, sum = 0;
  std::vector<std::pair<double, int64_t>> top;  // largest first, at most five
  for (int64_t i = 0; i < t.size(); ++i) {
    const double v = t.at_f64(i);
    low = std::min(low, v), high = std::max(high, v), sum += v;
    if (top.size() == 5 && !(v > top.back().first)) continue;
    if (top.size() == 5) top.pop_back();
    top.insert(std::upper_bound(top.begin(), top.end(), v, [](double a, const auto& b) { return a > b.first; }), {v, i});
  }
  std::printf("  min %g  max %g  mean %g\n", low, high, sum / static_cast<double>(t.size()));
  for (size_t i = 0; i < top.size(); ++i)
    std::printf("  #%zu  index %lld  %g\n", i + 1, static_cast<long long>(top[i].second), top[i].first);
}

// File names of the outputs, all distinct.
std::vector<std::string> file_names(const std::vector<runtime::PortDesc>& outputs) {
  std::vector<std::string> names;
  for (const runtime::PortDesc& p : outputs) {
    const std::string base = as_file_name(p.name);
    std::string name = base;
    for (int i = 2; std::find(names.begin(), names.end(), name) != names.end(); ++i) name = base + "-" + std::to_string(i);
    names.push_back(name);
  }
  return names;
}

int run(const Options& o, const CommandContext& context) {
  std::vector<NamedTensor> inputs = read_inputs(o.inputs);
  if (!o.output_dir.empty()) prepare_output_folder(o.output_dir);
  const auto package = open_package(o.model, o.flags, context);
  runtime::SessionOptions options;
  options.threads = o.run_threads;
  runtime::Session session(package, options);
  add_random_inputs(*package, inputs);
  set_inputs(session, inputs);
  for (size_t i = 0; i < package->manifest().outputs.size(); ++i) session.output(static_cast<int>(i));
  runtime::RunOptions run_options;
  run_options.cancel = &context.cancel.flag();
  session.run_or_throw(run_options);
  const std::vector<std::string> names = file_names(package->manifest().outputs);
  for (size_t i = 0; i < names.size(); ++i) {
    const Tensor t = get_output(session, static_cast<int>(i));
    print_output(package->manifest().outputs[i].name, t);
    if (!o.output_dir.empty()) write_npy(fs::path(o.output_dir) / (names[i] + ".npy"), t);
  }
  return 0;
}

}  // namespace

void add_run_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run a package, or a model compiled on the fly, and print its outputs");
  add_text(*command, "MODEL", o->model, "", "Package (.tlm) or ONNX file")->required();
  add_texts(*command, "--input", o->inputs, "NAME=FILE",
            "Data of an input: a .npy file, or a .pb file (ONNX TensorProto) (repeatable); inputs not given are random, seed 0");
  add_text(*command, "--output-dir", o->output_dir, "DIR", "Write each output as NAME.npy into this folder");
  add_number(*command, "--threads", o->run_threads, "T",
             "Threads to run on (default: all cores); they never change a bit of the outputs", 1, kMaxThreads);
  o->flags.add_model_options(*command);
  command->footer(R"(
Prints each output's type, shape, range, mean and its five largest elements.
Examples:
  tlm run resnet50.tlm
  tlm run net.tlm --input image=cat.npy --output-dir out)");
  command->callback([o, &context] { context.run = [o, &context] { return run(*o, context); }; });
}

}  // namespace tlm::tools
