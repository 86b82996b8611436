#include <climits>
#include <cstdio>
#include <optional>

#include <nlohmann/json.hpp>

#include "tlm/codegen/package_writer.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/core/stopwatch.h"
#include "tlm/space/records/record.h"
#include "tlm/tools/engine/schedule_file.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/explain.h"
#include "tlm/tools/tlm/output_files.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

struct Options {
  std::string model, out, report, emit_schedules, schedules, records;
  int trials = SearchSettings().trials, measure = 0;
  int explain = -1;
  EngineFlags flags;
};

// What a search did; null: another scheduler chose.
nlohmann::ordered_json search_json(const ModelSearch* s) {
  if (!s) return nullptr;
  return {{"measured", s->measured}, {"seconds", s->seconds}, {"network_ms", s->network_ms}, {"constructive_ms", s->anchor_ms}};
}

int number_of_defaults(const lm::LmReport& r) {
  int sum = 0;
  for (const auto& [kind, n] : r.defaults) sum += n;
  return sum;
}

// What the language model did; null: another scheduler chose.
nlohmann::ordered_json lm_json(const std::optional<LmUse>& use) {
  if (!use) return nullptr;
  const lm::LmReport& r = use->report;
  return {{"model", use->model},
          {"decode", use->decode},
          {"ms", use->load_ms + r.milliseconds},
          {"load_ms", use->load_ms},
          {"workloads", r.workloads},
          {"fallbacks", r.fallbacks},
          {"defaults", number_of_defaults(r)},
          {"default_kinds", nlohmann::ordered_json(r.defaults)},
          {"prompt_tokens", r.decoding.prompt_tokens},
          {"written_tokens", r.decoding.written_tokens}};
}

std::string report_json(const codegen::CompileReport& r, const Engine& engine, const std::optional<LmUse>& use,
                        const ModelSearch* search, double import_ms, double total_ms) {
  nlohmann::ordered_json j;
  j["target"] = to_hex(space::target_hash(engine.options().target));
  j["scheduler"] = engine.options().scheduler;
  j["lm"] = lm_json(use);
  j["search"] = search_json(search);
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
    const auto found = search ? search->workloads.find(w.hash) : std::map<uint64_t, space::SearchOutcome>::const_iterator();
    const bool searched = search && found != search->workloads.end();
    item["trials"] = searched ? nlohmann::ordered_json(found->second.trials) : nlohmann::ordered_json(nullptr);
    item["ratio"] = searched ? nlohmann::ordered_json(found->second.ratio) : nlohmann::ordered_json(nullptr);
    item["max_error"] = w.max_error ? nlohmann::ordered_json(*w.max_error) : nlohmann::ordered_json(nullptr);
    if (w.max_error) worst = std::max(worst, *w.max_error), known = true;
    workloads.push_back(std::move(item));
  }
  j["max_error"] = known ? nlohmann::ordered_json(worst) : nlohmann::ordered_json(nullptr);
  j["details"] = std::move(workloads);
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";  // names may be no UTF-8
}

// A schedule file of another model, or of a model that has changed since, would else be ignored in silence.
void warn_of_unused(std::map<uint64_t, space::Schedule> schedules, const codegen::CompileReport& report, const Log& log) {
  for (const codegen::WorkloadReport& w : report.workloads) schedules.erase(w.hash);
  if (schedules.empty()) return;
  log.warning(std::to_string(schedules.size()) + " schedules of the file fit no workload of this model, " +
              to_hex(schedules.begin()->first) + " for one; workloads without a schedule were left to the scheduler");
}

// Each workload's best, for people.
void print_search(const ModelSearch& search, const codegen::CompileReport& report) {
  std::vector<std::vector<std::string>> table = {{"subgraph", "count", "trials", "constructive ms", "best ms", "times as fast"}};
  for (const codegen::WorkloadReport& w : report.workloads) {
    const auto found = search.workloads.find(w.hash);
    if (found == search.workloads.end()) continue;
    const space::SearchOutcome& s = found->second;
    table.push_back({w.name, std::to_string(w.count), std::to_string(s.trials), number(s.best_ms * s.ratio), number(s.best_ms),
                     fixed(s.ratio, 2)});
  }
  std::fputs(table_text(table).c_str(), stderr);
  std::fprintf(stderr, "tlm: search: %d schedules measured in %s; network %s ms, with constructive schedules %s ms\n",
               search.measured, duration_text(search.seconds).c_str(), number(search.network_ms).c_str(),
               number(search.anchor_ms).c_str());
}

void print_lm(const LmUse& use) {
  const lm::LmReport& r = use.report;
  std::string kinds;  // " (micro 3, tile 1)"
  for (const auto& [kind, n] : r.defaults) kinds += (kinds.empty() ? " (" : ", ") + kind + " " + std::to_string(n);
  if (!kinds.empty()) kinds += ")";
  std::fprintf(
      stderr,
      "tlm: language model %s (%s): %d workloads in %s ms; %zu took the constructive schedule, %d decisions the default%s\n",
      printable(use.model).c_str(), printable(use.decode).c_str(), r.workloads, number(use.load_ms + r.milliseconds).c_str(),
      r.fallbacks.size(), number_of_defaults(r), kinds.c_str());
  for (const std::string& f : r.fallbacks) std::fprintf(stderr, "tlm: constructive schedule for %s\n", printable(f).c_str());
}

int run(const Options& o, const CommandContext& context) {
  if (o.out.empty() && o.explain < 0)
    throw Error(ErrorCode::kUsage, "-o is missing", "",
                "tlm compile " + o.model + " -o OUT.tlm, or --explain K to only look at subgraph K");
  if (o.out.empty() && !(o.report + o.emit_schedules).empty())
    throw Error(ErrorCode::kUsage, "--report and --emit-schedules want -o: without it nothing is compiled");
  if (o.flags.scheduler == "search" && o.measure > 0)
    throw Error(ErrorCode::kUsage, "--measure is for other schedulers: --scheduler search measures anyway", "", "give --trials");
  const bool searches = o.flags.scheduler == "search" || o.measure > 0;
  if (!searches && !o.records.empty())
    throw Error(ErrorCode::kUsage, "--records wants --scheduler search or --measure K: nothing is measured otherwise");
  check_output_files({{"-o", o.out}, {"--report", o.report}, {"--emit-schedules", o.emit_schedules}, {"--records", o.records}},
                     {o.model, o.schedules, o.flags.target});
  const Stopwatch time;
  ConsoleProgress progress;
  EngineOptions options = o.flags.engine_options(context, &progress);
  options.search.trials = o.trials;
  options.search.measure = o.measure;
  options.search.records = o.records;
  const Engine engine(std::move(options));
  std::map<uint64_t, space::Schedule> schedules;
  if (!o.schedules.empty()) schedules = read_schedule_file(o.schedules);
  const ir::Graph g = engine.import(o.model, o.flags.onnx_options());
  const double import_ms = time.ms();
  std::optional<ModelSearch> search;
  std::optional<LmUse> use;
  std::map<uint64_t, space::Schedule> chosen = schedules;
  if (searches) {
    search = engine.search(g, schedules);
    use = engine.lm_use();
    for (const auto& [hash, found] : search->workloads) chosen[hash] = found.schedule;
  }
  if (o.explain >= 0) std::fputs(explain_subgraph(engine, g, o.explain, chosen).c_str(), stdout);
  if (o.out.empty()) return 0;
  const codegen::CompiledModel model = engine.compile(g, chosen, !o.report.empty());
  if (!searches) use = engine.lm_use();
  warn_of_unused(schedules, model.report, context.log);
  context.cancel.check();
  codegen::write_package(model, o.out);
  const double total_ms = time.ms() - model.report.check_ms;
  if (!o.emit_schedules.empty()) write_file_atomic(o.emit_schedules, schedule_file_text(model.report));
  if (!o.report.empty())
    write_file_atomic(o.report, report_json(model.report, engine, use, search ? &*search : nullptr, import_ms, total_ms));
  if (search) print_search(*search, model.report);
  if (use) print_lm(*use);
  std::fprintf(
      stderr,
      "tlm: wrote %s: %d subgraphs (%zu distinct), %d runtime calls; %s s (import %s, schedule %s, code %s, compile %s)\n",
      printable(o.out).c_str(), model.report.subgraphs, model.report.workloads.size(), model.report.runtime_calls,
      fixed(total_ms / 1000, 2).c_str(), fixed(import_ms / 1000, 2).c_str(), fixed(model.report.schedule_ms / 1000, 2).c_str(),
      fixed(model.report.codegen_ms / 1000, 2).c_str(), fixed(model.report.compile_ms / 1000, 2).c_str());
  return 0;
}

}  // namespace

void add_compile_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compile", "Compile a model into a package that `tlm run` and tlm::runtime execute");
  add_text(*command, "MODEL", o->model, "", "ONNX file")->required();
  add_text(*command, "-o,--output", o->out, "OUT.tlm", "The package to write; it appears whole or not at all");
  o->flags.add_model_options(*command);
  o->flags.add_target_options(*command);
  o->flags.add_compile_options(*command);
  add_text(
      *command, "--report", o->report, "FILE.json",
      "Write times in ms, the number of subgraphs and workloads, and each workload's schedule and error against the interpreter");
  add_text(*command, "--emit-schedules", o->emit_schedules, "FILE",
           "Write the chosen schedules as text, for people and for --schedules");
  add_text(*command, "--schedules", o->schedules, "FILE",
           "Take schedules from a file; the scheduler is asked for workloads that it lacks");
  add_number(*command, "--trials", o->trials, "N",
             "Schedules that `--scheduler search` measures for each workload, at most (default: 64)", 1, 1 << 24);
  add_number(
      *command, "--measure", o->measure, "K",
      "Measure K proposals of the scheduler for each workload and take the fastest: different sentences of the language model, "
      "random draws, or the constructive schedule and its nearest variations (default: none is measured)",
      1, 1 << 16);
  add_text(*command, "--records", o->records, "FILE",
           "Records of measurements: those in it count as trials, new ones are added batch by batch. A search that was "
           "interrupted goes on from there, and other models profit");
  add_number(*command, "--explain", o->explain, "K",
             "Print stages, sentence, schedule, loops and source of subgraph K (counted from 0, as `tlm inspect` lists them); "
             "without -o "
             "nothing is compiled",
             0, INT_MAX);
  command->footer(R"(
Examples:
  tlm compile net.onnx -o net.tlm                                    for this machine, all cores
  tlm compile net.onnx -o net.tlm --target x86-64-v3 --threads 4     for four cores of any machine with AVX2
  tlm compile bert.onnx -o bert.tlm --dim batch=1 --dim sequence=128
  tlm compile net.onnx -o net.tlm --emit-schedules net.schedules     write the schedules down, change one,
  tlm compile net.onnx -o new.tlm --schedules net.schedules          and compile with it
  tlm compile net.onnx -o net.tlm --scheduler lm --model FOLDER      a language model of one's own writes the schedules
  tlm compile net.onnx -o net.tlm --scheduler search --trials 200 --records net.db    measure schedules on this machine
  tlm compile net.onnx -o net.tlm --measure 10                       measure the scheduler's ten best guesses
  tlm compile net.onnx --explain 3 | less                            how subgraph 3 becomes C)");
  command->callback([o, &context] { context.run = [o, &context] { return run(*o, context); }; });
}

}  // namespace tlm::tools
