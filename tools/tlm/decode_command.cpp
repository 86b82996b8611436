// tlm decode: runs a decoding strategy on workloads, with or without measuring.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "tlm/codegen/workloads.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/thread_pool.h"
#include "tlm/space/records/recorded_measurer.h"
#include "tlm/tools/collect/workload_list.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/decode_output.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/output_files.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

struct Options {
  std::string model, workloads, out, plot, records;
  int k = 0;
  int quality = -1;  // -1: not said
  bool measure = false;
  EngineFlags flags;
};

struct Prompts {
  std::vector<std::string> names;
  std::vector<std::shared_ptr<const space::Space>> spaces;
};

Prompts prompts_of(const Options& o, const Engine& engine) {
  Prompts out;
  if (!o.workloads.empty()) {
    for (collect::ListedWorkload& w : collect::read_workload_list(o.workloads)) {
      Target target = engine.options().target;
      target.cores = w.cores;
      out.names.push_back(w.name);
      out.spaces.push_back(space::Space::build(std::move(w.subgraph), std::move(target)));
    }
    return out;
  }
  const ir::Graph g = engine.import(o.model, o.flags.onnx_options());
  const ir::Partition partition = ir::partition(g);
  std::vector<int> workload_of;
  for (const codegen::Workload& w : codegen::distinct_workloads(partition, workload_of)) {
    out.names.push_back(w.step->name);
    out.spaces.push_back(space::Space::build(w.step->subgraph, engine.options().target));
  }
  return out;
}

void measure(DecodedWorkload& w, const space::Space& space, space::Measurer& measurer, const CancelToken& cancel) {
  std::vector<space::Schedule> schedules;
  for (const DecodedSchedule& s : w.schedules) schedules.push_back(s.schedule);
  space::Batch batch = measurer.measure(space, schedules, cancel);
  for (size_t i = 0; i < schedules.size(); ++i) w.schedules[i].measurement = std::move(batch.programs[i]);
}

void print_list(const DecodedList& list, int distinct) {
  std::vector<std::vector<std::string>> table = {{"workload", "cores", "schedules", "log-probability"}};
  if (list.measured) table[0].insert(table[0].end(), {"ms", "first / constructive", "best / constructive"});
  for (const DecodedWorkload& w : list.workloads) {
    std::vector<std::string> row = {w.name, std::to_string(w.cores), std::to_string(w.schedules.size()),
                                    w.fallback.empty() ? fixed(w.schedules[0].log_probability, 3) : "constructive"};
    if (list.measured) {
      double best = 0;
      for (const DecodedSchedule& s : w.schedules) best = std::max(best, s.measurement ? s.measurement->ratio : 0);
      const auto& first = w.schedules[0].measurement;
      const bool timed = first && first->timed();
      row.insert(row.end(), {timed ? number(first->median_ms) : "-", timed ? fixed(first->ratio, 3) : "-", fixed(best, 3)});
    }
    table.push_back(std::move(row));
  }
  std::fputs(table_text(table).c_str(), stdout);
  std::printf("%d different schedules of %zu workloads", distinct, list.workloads.size());
  if (list.measured) {
    const std::vector<double> best = best_ratio_by_count(list);
    if (!best.empty())
      std::printf("; times as fast as the constructive one, geometric mean: first %s, best %s", fixed(best.front(), 3).c_str(),
                  fixed(best.back(), 3).c_str());
  }
  std::printf("\n");
}

bool is_csv(const std::string& file) { return file.ends_with(".csv"); }

int run(const Options& o, const CommandContext& context) {
  if (o.model.empty() == o.workloads.empty()) throw Error(ErrorCode::kUsage, "give either a model or --workloads LIST");
  if (!o.workloads.empty() && o.flags.threads > 0)
    throw Error(ErrorCode::kUsage, "--threads is for models: a list says the cores of each workload");
  if (!o.out.empty() && !is_csv(o.out) && !o.out.ends_with(".json"))
    throw Error(ErrorCode::kUsage, "-o wants a name that ends in .csv or .json, not '" + o.out + "'");
  check_output_files({{"-o", o.out}, {"--plot", o.plot}, {"--records", o.records}}, {o.model, o.workloads, o.flags.target});
  ConsoleProgress progress;
  EngineOptions settings = o.flags.engine_options(context, &progress);
  settings.scheduler = "lm";
  const Engine engine(std::move(settings));
  const EngineOptions& options = engine.options();
  const Prompts prompts = prompts_of(o, engine);

  DecodedList list;
  list.model = options.lm.loaded->name();
  list.decode = resolved_decode(options.lm, o.k);
  const int buckets = options.lm.loaded->info().quality_buckets;
  if (o.quality >= 0 || buckets > 0) list.quality = std::max(0, o.quality);
  list.seed = options.seed;
  const auto strategy = options.lm.strategies.make(list.decode, o.k);
  list.measured = o.measure || strategy->measures();
  if (!list.measured && !o.records.empty())
    throw Error(ErrorCode::kUsage, "--records wants --measure or a strategy that measures: nothing is measured otherwise");
  lm::DecodeOptions decode;
  decode.seed = options.seed;
  decode.executor = options.jobs == 1 ? &serial_executor() : &shared_thread_pool();
  decode.cancel = context.cancel;
  decode.progress = &progress;
  decode.quality = list.quality;
  std::optional<space::RecordStore> records;
  std::shared_ptr<space::Measurer> machine;
  std::shared_ptr<space::RecordedMeasurer> measurer;
  if (list.measured) {
    if (!o.records.empty()) records.emplace(o.records);
    machine = engine_measurer(options);
    measurer = std::make_shared<space::RecordedMeasurer>(*machine, records ? &*records : nullptr, "lm " + list.model, list.seed);
    decode.measurer = measurer;
  }
  lm::DecodeStatistics statistics;
  const std::vector<lm::Answer> answers = lm::decode(*options.lm.loaded, prompts.spaces, *strategy, decode, &statistics);

  int distinct = 0;
  const bool measures_here = o.measure && !strategy->measures();
  ProgressTask task(measures_here ? static_cast<Progress&>(progress) : no_progress(), "measure",
                    static_cast<int64_t>(answers.size()));
  for (size_t i = 0; i < answers.size(); ++i) {
    const space::Space& space = *prompts.spaces[i];
    DecodedWorkload w{prompts.names[i], ir::workload_hash(space.subgraph()), space.target().cores, answers[i].reason,
                      distinct_schedules(answers[i], o.k)};
    if (w.schedules.empty()) w.schedules.push_back({space.constructive().schedule(), "", 0, 0, 1, {}});
    distinct += static_cast<int>(w.schedules.size());
    if (measures_here) measure(w, space, *measurer, context.cancel);
    list.workloads.push_back(std::move(w));
    task.advance(1, prompts.names[i]);
  }
  if (!o.out.empty()) write_file_atomic(o.out, is_csv(o.out) ? decoded_csv(list) : decoded_json(list));
  if (!o.plot.empty()) write_file_atomic(o.plot, decoded_svg(list));
  print_list(list, distinct);
  if (records)
    std::fprintf(stderr, "tlm: %d schedules measured, %d were in the records\n", measurer->measured(), measurer->known());
  const double tokens = static_cast<double>(statistics.prompt_tokens + statistics.written_tokens);
  std::fprintf(stderr, "tlm: decoded in %s ms, %s ms of it in the model: %s tokens, %lld of them prompts, in %lld calls\n",
               number(statistics.total_ms).c_str(), number(statistics.model_ms).c_str(), fixed(tokens, 0).c_str(),
               static_cast<long long>(statistics.prompt_tokens), static_cast<long long>(statistics.calls));
  return 0;
}

}  // namespace

void add_decode_command(CLI::App& app, CommandContext& context) {
  auto* command = app.add_subcommand("decode", "Let the language model write schedules, by any decoding strategy");
  auto o = std::make_shared<Options>();
  command->add_option("file", o->model, "Model (ONNX) whose workloads are asked")->option_text("MODEL");
  add_text(*command, "--workloads", o->workloads, "LIST.jsonl",
           "Workloads of a list instead: lines with name, kind, set, cores and subgraph");
  o->flags.add_lm_options(*command);
  add_number(*command, "--k", o->k, "N", "Different schedules kept for each workload (default: all that the strategy writes)", 1,
             4096);
  command->add_flag("--measure", o->measure, "Measure every schedule on this machine, beside the constructive one");
  add_text(*command, "--records", o->records, "FILE",
           "Records of measurements: schedules in it are not measured again, new ones are added batch by batch. What was "
           "interrupted goes on from there");
  add_number(*command, "--quality", o->quality, "B",
             "Ask for schedules of this quality, of a model that knows qualities: 0 is the best (default: 0)", 0,
             lm::kMostQualityBuckets - 1);
  add_number(*command, "--seed", o->flags.seed, "S", "Seed of strategies that draw (default: 0)");
  add_text(*command, "-o", o->out, "FILE.csv|FILE.json", "Write sentences, schedules, log-probabilities and what was measured");
  add_text(*command, "--plot", o->plot, "FILE.svg",
           "Plot the best of k schedules over k where they are measured, else the log-probability by rank");
  o->flags.add_model_options(*command);
  o->flags.add_target_options(*command);
  add_number(*command, "--jobs", o->flags.jobs, "J", "1: decode on one thread; it never changes a byte (default: all cores)", 1,
             kMaxJobs);
  command->footer(R"(
Examples:
  tlm decode net.onnx                                                 one sentence for each workload, greedy
  tlm decode net.onnx --decode sampling:temperature=0.8,n=20 -o s.csv
  tlm decode net.onnx --decode gumbel --k 10 --measure --plot k.svg   ten different schedules each, measured
  tlm decode net.onnx --measure --records net.db                      stopped by Ctrl-C: the same command goes on
  tlm decode --workloads list.jsonl --decode beam:n=4 --model FOLDER -o beam.json)");
  command->callback([o, &context] { context.run = [o, &context] { return run(*o, context); }; });
}

}  // namespace tlm::tools
