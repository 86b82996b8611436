#include <chrono>
#include <cstdio>
#include <thread>

#include "tlm/codegen/measure/measurer.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/progress.h"
#include "tlm/tools/eval/reference/reference_search.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/output_files.h"

namespace tlm::tools {
namespace {

struct Options {
  bool reference = false;
  std::string workloads, records, out, c_compiler;
  std::vector<std::string> only;
  int trials = 1000, jobs = 0, seconds = 0;
  uint64_t seed = 0;
};

std::unique_ptr<space::Measurer> measurer(const Options& o, const CommandContext& context, int rounds, double slow_factor) {
  codegen::MeasureOptions options;
  options.jobs = o.jobs > 0 ? o.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.c_compiler = o.c_compiler;
  options.log = context.log;
  options.rounds = rounds;
  options.slow_factor = slow_factor;
  return codegen::make_measurer(std::move(options));
}

std::vector<eval::EvalWorkload> chosen_workloads(const Options& o) {
  std::vector<eval::EvalWorkload> list = eval::read_workload_list(o.workloads);
  if (o.only.empty()) return list;
  for (const std::string& name : o.only)
    if (std::none_of(list.begin(), list.end(), [&](const auto& w) { return w.name == name; }))
      throw Error(ErrorCode::kUsage, "no workload of the list is called '" + name + "'", o.workloads);
  std::erase_if(list, [&](const auto& w) { return std::find(o.only.begin(), o.only.end(), w.name) == o.only.end(); });
  return list;
}

int make_reference(const Options& o, const CommandContext& context) {
  const std::vector<eval::EvalWorkload> list = chosen_workloads(o);
  check_output_files({{"-o", o.out}}, {o.workloads, o.records});
  ConsoleProgress progress;
  eval::ReferenceOptions options;
  options.records = o.records;
  options.machine = host_target();
  options.trials = o.trials;
  options.seed = o.seed;
  options.cancel = context.cancel;
  options.progress = &progress;
  options.log = context.log;
  const auto begin = std::chrono::steady_clock::now();
  if (o.seconds > 0)
    options.stop = [begin, seconds = o.seconds] {
      return std::chrono::steady_clock::now() - begin > std::chrono::seconds(seconds);
    };
  constexpr int kConfirmingRounds = 15;
  const codegen::MeasureOptions usual;
  const eval::ReferenceResult result =
      eval::search_references(list, *measurer(o, context, usual.rounds, usual.slow_factor),
                              *measurer(o, context, kConfirmingRounds, usual.slow_factor), options);
  std::string lines;
  for (const eval::Reference& r : result.references) lines += eval::reference_line(r) + "\n";
  write_file_atomic(o.out, lines);
  std::fprintf(stderr, "tlm: %zu of %zu references are complete; %d schedules measured this time%s\n", result.references.size(),
               list.size(), result.measured, result.stopped ? "; the time was over, the same command goes on" : "");
  return 0;
}

}  // namespace

void add_eval_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("eval", "How good are the schedules of models and rivals, beside a long search?");
  command->add_flag("--reference", o->reference,
                    "Search each workload of a list by itself, from nothing: what others are raced against");
  add_text(*command, "--workloads", o->workloads, "FILE.jsonl", "The list of workloads")->required();
  add_texts(*command, "--only", o->only, "NAME", "This workload of the list alone; may be repeated");
  add_text(*command, "--records", o->records, "FILE",
           "Record file of the search (SQLite, its own); an interrupted search goes on from it");
  add_number(*command, "--trials", o->trials, "N", "Schedules measured for each workload (default: 1000)", 1, 1 << 20);
  add_number(*command, "--time", o->seconds, "SECONDS", "End cleanly after so long; the same command goes on", 1, 1 << 30);
  add_number(*command, "--seed", o->seed, "S", "Another way through the spaces (default: 0)");
  add_text(*command, "-o,--output", o->out, "FILE.jsonl", "What was found for the workloads that are complete")->required();
  add_number(*command, "--jobs", o->jobs, "J", "Compile workers (default: all cores)", 1, kMaxJobs);
  add_text(*command, "--cc", o->c_compiler, "PROGRAM", "C compiler (default: cc, gcc or clang)");
  command->footer(R"(
Examples:
  tlm eval --reference --workloads lm/data/test_workloads.jsonl --records reference.db -o lm/data/reference.jsonl)");
  command->callback([o, &context] {
    context.run = [o, &context] {
      if (!o->reference) throw Error(ErrorCode::kUsage, "nothing to do", "eval", "give --reference");
      if (o->records.empty()) throw Error(ErrorCode::kUsage, "--reference needs --records FILE", "eval");
      return make_reference(*o, context);
    };
  });
}

}  // namespace tlm::tools
