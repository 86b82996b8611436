// `tlm collect`: measured programs for training.
#include <cstdio>
#include <memory>
#include <sstream>
#include <thread>

#include "tlm/codegen/measure/measurer.h"
#include "tlm/core/error.h"
#include "tlm/tools/collect/collector.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/collect_model.h"
#include "tlm/tools/tlm/command.h"

namespace tlm::tools {
namespace {

struct Options {
  std::string records, data = "lm/data", split = "train", sources, variants, kinds, model, c_compiler;
  int workloads = 800, programs = 0, batch = 16, seconds = 0, jobs = 0;
  uint64_t seed = 0;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) words.push_back(part);
  return words;
}

std::string all_kinds() {
  std::string names;
  for (const space::WorkloadKind k : space::workload_kinds())
    names += (names.empty() ? "" : ", ") + std::string(space::workload_kind_name(k));
  return names;
}

std::vector<space::WorkloadKind> kinds_of(const std::string& text) {
  std::vector<space::WorkloadKind> kinds;
  for (const std::string& name : words_of(text)) {
    const auto kind = space::parse_workload_kind(name);
    if (!kind)
      throw Error(ErrorCode::kUsage, "no kind of workload is called '" + name + "'", "--kinds", "there are: " + all_kinds());
    kinds.push_back(*kind);
  }
  return kinds;
}

std::vector<collect::PlanItem> plan_of(const Options& o) {
  const Target machine = host_target();
  const std::filesystem::path folder(o.data);
  collect::check_lists(folder);
  const std::vector<space::WorkloadKind> kinds = kinds_of(o.kinds);
  if (o.split == "dev") {
    if (!kinds.empty())
      throw Error(ErrorCode::kUsage, "the dev list is measured as it is", "--kinds", "it goes with --split train");
    const std::string variants = o.variants.empty() ? "native-1,native-2" : o.variants;
    return collect::list_plan(collect::read_workload_list(folder / collect::kDevList),
                              collect::chosen_variants(machine, words_of(variants)));
  }
  return collect::training_plan(o.workloads, o.seed, collect::read_exclusion(folder),
                                collect::chosen_variants(machine, words_of(o.variants.empty() ? "training" : o.variants)), kinds);
}

int run(const Options& o, const CommandContext& context) {
  const bool with_model = !o.model.empty();
  collect::CollectOptions options;
  options.quotas = collect::parse_quotas(!o.sources.empty() ? o.sources
                                         : with_model       ? "lm:24"
                                                            : "random:16,constructive:8,search:48,confirm:4");
  for (const collect::Quota& q : options.quotas)
    if (q.source == collect::Source::kModel && q.programs > 0 && !with_model)
      throw Error(ErrorCode::kUsage, "programs of a model are asked for, but no model is named", "",
                  "name it with --model FOLDER");
  const std::vector<collect::PlanItem> plan = plan_of(o);
  if (with_model) options.model = collect_model(o.model);
  options.programs = o.programs;
  options.batch = o.batch;
  options.seed = o.seed;
  options.seconds = o.seconds;
  options.cancel = context.cancel;
  options.log = context.log;
  ConsoleProgress progress;
  options.progress = &progress;

  codegen::MeasureOptions measure;
  measure.jobs = o.jobs > 0 ? o.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  measure.c_compiler = o.c_compiler;
  measure.log = context.log;
  const auto measurer = codegen::make_measurer(std::move(measure));
  space::RecordStore records(o.records);
  const collect::CollectResult r = collect::collect(plan, *measurer, records, options);
  std::fprintf(stderr, "tlm: measured %d programs of %d workloads and variants in %d batches, %s: %.0f a minute\n", r.measured,
               r.items, r.batches, duration_text(r.seconds).c_str(), r.seconds > 0 ? 60 * r.measured / r.seconds : 0);
  std::fprintf(stderr, "tlm: %s compiling and measuring, %s choosing; %s\n", duration_text(r.measuring_s).c_str(),
               duration_text(r.choosing_s).c_str(),
               r.complete ? "the plan is complete" : "the same command goes on where this one stopped");
  return 0;
}

}  // namespace

void add_collect_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("collect", "Measure programs of sampled workloads, for training");
  add_text(*command, "--records", o->records, "FILE", "Record file (SQLite); what it holds is not measured again")->required();
  command->add_option("--split", o->split, "train: workloads of the sampler; dev: those of the committed list (default: train)")
      ->option_text("train|dev")
      ->check(CLI::IsMember({"train", "dev"}));
  add_number(*command, "--workloads", o->workloads, "N", "Distinct workloads (default: 800)", 1, 1 << 20);
  add_text(*command, "--sources", o->sources, "NAME:N,…",
           "Programs of each workload by source: random, constructive, search, lm, confirm (default: "
           "random:16,constructive:8,search:48,confirm:4; with --model: lm:24)");
  add_number(*command, "--programs", o->programs, "K", "At most so many of each workload, earlier ones included", 1, 1 << 20);
  add_text(*command, "--variants", o->variants, "NAME,…",
           "Hardware: native, avx2, avx2-8, avx, sse2, each with -1 or -2 cores; training: all that are not held out (default)");
  add_text(*command, "--kinds", o->kinds, "NAME,…",
           "Workloads of these kinds alone, in turn: " + all_kinds() + " (default: all, in the shares of networks)");
  add_text(*command, "--model", o->model, "FOLDER", "The model that writes the schedules of the source lm");
  add_number(*command, "--seed", o->seed, "S", "Seed of the workloads and of all that is drawn (default: 0)");
  add_number(*command, "--time", o->seconds, "SECONDS", "Begin no batch after so long", 1, 1 << 30);
  add_number(*command, "--batch", o->batch, "N", "Programs measured at a time (default: 16)", 1, 256);
  add_text(*command, "--data", o->data, "FOLDER", "Where the lists of workloads are (default: lm/data)");
  add_number(*command, "--jobs", o->jobs, "J", "Compile workers (default: all cores)", 1, kMaxJobs);
  add_text(*command, "--cc", o->c_compiler, "PROGRAM", "C compiler (default: cc, gcc or clang)");
  command->callback([o, &context] { context.run = [o, &context] { return run(*o, context); }; });
  command->footer(R"(
Nothing else should run meanwhile. Stop it with Ctrl-C and go on with the same command.
Examples:
  tlm collect --records train.db --time 3600
  tlm collect --records train.db --model lm/pretrained          a round with a model in the loop
  tlm collect --records dev.db --split dev --sources random:8,constructive:8,search:72,confirm:4)");
}

}  // namespace tlm::tools
