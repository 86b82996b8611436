#include <chrono>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tlm/codegen/package_writer.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/tools/engine/schedule_file.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/explain.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

struct Options {
  std::string model, out, report, emit_schedules, schedules;
  int explain = -1;
  EngineFlags flags;
};

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

std::string report_json(const codegen::CompileReport& r, double import_ms, double total_ms) {
  nlohmann::ordered_json j;
  j["import_ms"] = import_ms;
  j["schedule_ms"] = r.schedule_ms;
  j["codegen_ms"] = r.codegen_ms;
  j["compile_ms"] = r.compile_ms;
  j["total_ms"] = total_ms;
  j["subgraphs"] = r.subgraphs;
  j["workloads"] = r.workloads.size();
  j["runtime_calls"] = r.runtime_calls;
  double worst = 0;
  bool known = false;
  nlohmann::ordered_json workloads = nlohmann::ordered_json::array();
  for (const codegen::WorkloadReport& w : r.workloads) {
    nlohmann::ordered_json item;
    item["name"] = w.name;
    item["hash"] = to_hex(w.hash);
    item["count"] = w.count;
    item["flops"] = w.flops;
    item["schedule"] = print(w.schedule);
    item["max_error"] = w.max_error ? nlohmann::ordered_json(*w.max_error) : nlohmann::ordered_json(nullptr);
    if (w.max_error) worst = std::max(worst, *w.max_error), known = true;
    workloads.push_back(std::move(item));
  }
  j["max_error"] = known ? nlohmann::ordered_json(worst) : nlohmann::ordered_json(nullptr);
  j["details"] = std::move(workloads);
  return j.dump(2) + "\n";
}

int run(const Options& o, const CommandContext& context) {
  if (o.out.empty() && o.explain < 0) throw Error(ErrorCode::kUsage, "-o OUT.tlm is missing");
  const auto begin = std::chrono::steady_clock::now();
  ConsoleProgress progress;
  const Engine engine(o.flags.engine_options(context, &progress));
  std::map<uint64_t, space::Schedule> schedules;
  if (!o.schedules.empty()) schedules = read_schedule_file(o.schedules);
  const ir::Graph g = engine.import(o.model, o.flags.onnx_options());
  const double import_ms = ms_since(begin);
  if (o.explain >= 0) std::fputs(explain_subgraph(engine, g, o.explain, schedules).c_str(), stdout);
  if (o.out.empty()) return 0;
  const codegen::CompiledModel model = engine.compile(g, schedules, !o.report.empty());
  context.cancel.check();
  codegen::write_package(model, o.out);
  const double total_ms = ms_since(begin);
  if (!o.emit_schedules.empty()) write_file_atomic(o.emit_schedules, schedule_file_text(model.report));
  if (!o.report.empty()) write_file_atomic(o.report, report_json(model.report, import_ms, total_ms));
  std::fprintf(stderr, "tlm: wrote %s: %d subgraphs of %zu kinds, %d runtime calls, %s s (import %s, schedule %s, compile %s)\n",
               o.out.c_str(), model.report.subgraphs, model.report.workloads.size(), model.report.runtime_calls,
               fixed(total_ms / 1000, 2).c_str(), fixed(import_ms / 1000, 2).c_str(), fixed(model.report.schedule_ms / 1000, 2).c_str(),
               fixed(model.report.compile_ms / 1000, 2).c_str());
  return 0;
}

}  // namespace

void add_compile_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compile", "Compile a model into a package that `tlm run` and tlm::runtime execute");
  command->add_option("MODEL", o->model, "ONNX file")->required();
  command->add_option("-o,--output", o->out, "The package to write (.tlm)");
  o->flags.add_model_options(*command);
  o->flags.add_compile_options(*command);
  command->add_option("--report", o->report, "Write a JSON report: times, workloads, errors against the interpreter");
  command->add_option("--emit-schedules", o->emit_schedules, "Write the chosen schedules, for people and for --schedules");
  command->add_option("--schedules", o->schedules, "Replay schedules from a file; workloads that it lacks ask the scheduler");
  command->add_option("--explain", o->explain, "Print sentence, schedule, loops and source of subgraph K")->check(CLI::NonNegativeNumber);
  command->callback([o, &context] { context.run = [o, &context] { return run(*o, context); }; });
}

}  // namespace tlm::tools
