#include <cstdio>

#include "tlm/codegen/check_workload.h"
#include "tlm/core/error.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/compare.h"
#include "tlm/tools/tlm/data_set.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

struct Options {
  std::string model, data;
  double rtol = 1e-3, atol = 1e-4;
  bool by_subgraph = false;
  int run_threads = 0;
  EngineFlags flags;
};

std::string scientific(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", v);
  return text;
}

int verify_data(const Options& o, const CommandContext& context) {
  const std::vector<NamedTensor> inputs = read_data_files(o.data, "input");
  const std::vector<NamedTensor> outputs = read_data_files(o.data, "output");
  if (outputs.empty()) throw Error(ErrorCode::kUsage, "the folder holds no output_0.pb", o.data);
  std::shared_ptr<const runtime::Package> package;
  if (is_package(o.model)) {
    package = runtime::Package::load(o.model);
  } else {
    ConsoleProgress progress;
    const Engine engine(o.flags.engine_options(context, &progress));
    package = engine.load(engine.compile(import_with_data(engine, o.model, o.flags.onnx_options(), inputs)));
  }
  runtime::SessionOptions options;
  options.threads = o.run_threads;
  runtime::Session session(package, options);
  set_inputs(session, inputs);
  const auto& ports = package->manifest().outputs;
  if (ports.size() != outputs.size())
    throw Error(ErrorCode::kUsage,
                "the model has " + std::to_string(ports.size()) + " outputs, the data " + std::to_string(outputs.size()), o.data);
  for (size_t i = 0; i < ports.size(); ++i) session.output(static_cast<int>(i));
  runtime::RunOptions run_options;
  run_options.cancel = &context.cancel.flag();
  session.run_or_throw(run_options);
  bool ok = true;
  for (size_t i = 0; i < ports.size(); ++i) {
    const Comparison c = compare(get_output(session, static_cast<int>(i)), outputs[i].tensor, {o.rtol, o.atol, 0});
    std::printf("%s %s: %s\n", c.ok ? "ok" : "MISMATCH", printable(ports[i].name).c_str(),
                c.ok ? ("max |difference| " + scientific(c.max_error)).c_str() : c.reason.c_str());
    ok = ok && c.ok;
  }
  return ok ? 0 : static_cast<int>(ErrorCode::kMismatch);
}

int verify_subgraphs(const Options& o, const CommandContext& context) {
  if (is_package(o.model))
    throw Error(ErrorCode::kUsage, "--by-subgraph wants an ONNX file: a package holds no expressions", o.model);
  ConsoleProgress progress;
  const Engine engine(o.flags.engine_options(context, &progress));
  if (const auto missing = missing_features(engine.options().target.features); !missing.empty())
    throw Error(ErrorCode::kEnvironment, "this machine cannot run code for the target: it lacks " + missing[0]);
  const codegen::CompiledModel model = engine.compile(engine.import(o.model, o.flags.onnx_options()), {}, true);
  std::vector<std::vector<std::string>> rows = {{"subgraph", "count", "max error", ""}};
  bool ok = true;
  for (const codegen::WorkloadReport& w : model.report.workloads) {
    const bool good = w.max_error && *w.max_error <= o.rtol;
    rows.push_back(
        {w.name, std::to_string(w.count), w.max_error ? scientific(*w.max_error) : "unknown", good ? "ok" : "MISMATCH"});
    ok = ok && good;
  }
  std::fputs(table_text(rows).c_str(), stdout);
  return ok ? 0 : static_cast<int>(ErrorCode::kMismatch);
}

}  // namespace

void add_verify_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("verify", "Compare a model's outputs with reference data, or each subgraph with the interpreter");
  add_text(*command, "MODEL", o->model, "", "Package (.tlm) or ONNX file")->required();
  auto* data = add_text(*command, "--data", o->data, "DIR", "Folder with input_N.pb and output_N.pb (ONNX TensorProto)")
                   ->check(CLI::ExistingDirectory);
  auto* by_subgraph =
      command->add_flag("--by-subgraph", o->by_subgraph, "Run each distinct subgraph on random data against the interpreter");
  data->excludes(by_subgraph);
  add_tolerance(*command, "--rtol", o->rtol, "R",
                "R in |a-b| <= R|b| + A max|b|; with --by-subgraph the largest |a-b| / max(1, max|b|) (default: 1e-3)");
  add_tolerance(*command, "--atol", o->atol, "A", "A in the same bound (default: 1e-4)");
  add_number(*command, "--run-threads", o->run_threads, "T", "Threads to run on (default: all cores)", 1, kMaxThreads);
  o->flags.add_model_options(*command);
  o->flags.add_target_options(*command);
  o->flags.add_compile_options(*command);
  command->footer(R"(
Exit code 0: all outputs within the bound, 1: not. Target and compile options matter for ONNX files only.
Examples:
  tlm verify resnet50.tlm --data resnet50/test_data_set_0 --rtol 1e-3 --atol 1e-4
  tlm verify resnet50.onnx --by-subgraph --scheduler random --seed 3)");
  command->callback([o, &context] {
    context.run = [o, &context] {
      if (!o->by_subgraph && o->data.empty()) throw Error(ErrorCode::kUsage, "give --data DIR or --by-subgraph");
      return o->by_subgraph ? verify_subgraphs(*o, context) : verify_data(*o, context);
    };
  });
}

}  // namespace tlm::tools
