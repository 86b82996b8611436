#include <algorithm>
#include <cstdio>
#include <map>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/progress.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/training/train_model.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/metrics_plot.h"
#include "tlm/tools/tlm/output_files.h"
#include "tlm/tools/tlm/table.h"
#include "tlm/tools/tlm/training_sources.h"

namespace tlm::tools {
namespace {

struct Options {
  lm::Recipe recipe;
  std::string out, size;
  std::vector<std::string> kinds;
  bool resume = false;
  int threads = 0, layers = 0, heads = 0, width = 0, checkpoint_s = 300, checkpoint_steps = 0, validations = 12;
  // Of the recipe, as the numbers that the command line reads.
  int context = static_cast<int>(recipe.context), steps = static_cast<int>(recipe.steps),
      branches = static_cast<int>(recipe.branches), batch = static_cast<int>(recipe.batch),
      enough = static_cast<int>(recipe.enough), best = static_cast<int>(recipe.best),
      pretrain = static_cast<int>(recipe.pretrain), taught = static_cast<int>(recipe.taught);
  std::string command;                // as it was typed
  std::vector<std::string> settings;  // of the recipe, that were typed: names of its fields
};

// What the numbers of the command line say of the recipe.
lm::Recipe recipe_of(const Options& o) {
  lm::Recipe r = o.recipe;
  if (!o.size.empty()) lm::set_size(r, o.size);
  if (o.layers > 0) r.layers = o.layers;
  if (o.heads > 0) r.heads = o.heads;
  if (o.width > 0) r.width = o.width;
  r.context = o.context, r.steps = o.steps, r.branches = o.branches, r.batch = o.batch, r.enough = o.enough;
  r.best = o.best;
  r.pretrain = o.pretrain;
  r.taught = o.taught;
  return r;
}

void print_outcome(const lm::TrainedModel& m, const lm::LabelCounts& labels, const std::string& lists,
                   const std::string& folder) {
  const auto n = [](int64_t v) { return std::to_string(v); };
  std::printf("records        %s: %s programs of %s workloads and targets to learn from, %s of %s for dev\n",
              n(labels.records).c_str(), n(m.train.programs).c_str(), n(m.train.workloads).c_str(), n(m.dev.programs).c_str(),
              n(m.dev.workloads).c_str());
  std::printf("left out       %s held out, %s by choice, %s beyond the fraction, %s too long, %s not in the space of today\n",
              n(m.train.held_out).c_str(), n(m.train.left_out).c_str(), n(m.train.beyond_fraction).c_str(),
              n(m.train.too_long + m.dev.too_long).c_str(), n(m.train.refused + m.dev.refused).c_str());
  if (lists == lm::kNoLists)
    std::printf(
        "lists          none: listed workloads and their neighbours count as any other, but for the keys of dev and test\n");
  std::printf("sentences      %s tokens at most\n", n(std::max(m.train.longest, m.dev.longest)).c_str());
  if (!m.metrics.empty()) {
    const lm::StepMetrics& last = m.metrics.back();
    std::printf("steps          %s pretraining, %s training; %s tokens in %s\n", n(m.pretraining_steps).c_str(),
                n(m.steps).c_str(), n(last.tokens).c_str(), duration_text(last.seconds).c_str());
    std::printf("loss           %s", fixed(last.loss, 4).c_str());
    if (last.dev)
      std::printf(", dev %s (%s of the choices foretold); likeliest program of dev %s of the best, a random one %s",
                  fixed(last.dev->loss, 4).c_str(), (fixed(100 * last.dev->accuracy, 1) + " %").c_str(),
                  fixed(last.dev->pick, 3).c_str(), fixed(last.dev->random_pick, 3).c_str());
    std::printf("\n");
  }
  std::printf("model          %s, %s parameters\n", folder.c_str(), n(m.parameters).c_str());
}

int train(Options o, const CommandContext& context) {
  lm::TrainModelOptions options;
  options.recipe = recipe_of(o);
  options.folder = o.out;
  options.resume = o.resume;
  options.command = o.command;
  if (o.resume && o.recipe.records.empty()) {  // as it was begun
    const auto begun = lm::recipe_of(o.out);
    if (!begun) throw Error(ErrorCode::kUsage, "no training was begun in this folder", o.out, "give --records and --out");
    for (const std::string& name : lm::differences(*begun, options.recipe))
      if (std::find(o.settings.begin(), o.settings.end(), name) != o.settings.end())
        throw Error(ErrorCode::kUsage, "the training was begun with other settings: " + name, o.out,
                    "leave it out, or take another folder");
    options.recipe = *begun;
  }
  lm::check(options.recipe);
  if (options.recipe.records.empty() && options.recipe.steps != 0)
    throw Error(ErrorCode::kUsage, "nothing to learn from", "", "--records FILE, or --steps 0 for an untrained model");
  set_training_sources(options, options.recipe.lists);
  prepare_output_folder(o.out);
  options.checkpoint_seconds = o.checkpoint_s;
  options.checkpoint_steps = o.checkpoint_steps;
  options.validations = o.validations;
  options.cancel = context.cancel;
  options.log = context.log;

  ConsoleProgress progress;
  lm::Labels labels;
  read_training_records(options.recipe.records, context.cancel, progress, [&](const space::Record& r) { labels.add(r); });
  std::vector<lm::LabelledWorkload> workloads = labels.take();

  std::unique_ptr<ThreadPool> own;
  if (o.threads > 0) own = std::make_unique<ThreadPool>(ThreadPoolOptions{.width = o.threads});
  Executor& executor = own ? *own : shared_thread_pool();
  const auto draw = [&] {
    write_file_atomic(options.folder / "metrics.svg", metrics_svg(lm::read_metrics(options.folder / "metrics.jsonl")));
  };
  try {
    const lm::TrainedModel model = lm::train_model(std::move(workloads), labels.counts(), options, executor, progress);
    draw();
    print_outcome(model, labels.counts(), options.recipe.lists, o.out);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kInterrupted) draw();
    throw;
  }
  return 0;
}

void add_model_options(CLI::App& c, Options& o) {
  add_text(c, "--config", o.size, "SIZE", "small (0.9 million parameters) or base (2.0 million; default)");
  add_number(c, "--layers", o.layers, "N", "Layers", 1, 64);
  add_number(c, "--heads", o.heads, "N", "Heads of attention", 1, 64);
  add_number(c, "--width", o.width, "N", "Width of a token's vector", 8, 4096);
  add_number(c, "--context", o.context, "N", "Tokens of the longest sentence (default: 768)", 16, 1 << 16);
}

void add_step_options(CLI::App& c, Options& o) {
  add_tolerance(c, "--epochs", o.recipe.epochs, "E",
                "Epochs: each draws as many programs as there are, by quality and --balance (default: 4)");
  add_number(c, "--steps", o.steps, "N", "Steps, instead of epochs; 0: an untrained model, which needs no records", 0, 1 << 30);
  add_tolerance(c, "--time", o.recipe.time_s, "S", "As many steps as fit into S seconds, by the speed at the start");
  add_tolerance(c, "--rate", o.recipe.rate, "R", "Largest rate of learning (default: 0.002)");
  add_tolerance(c, "--warm-up", o.recipe.warm_up, "SHARE", "Share of the steps in which the rate rises (default: 0.05)");
  add_tolerance(c, "--weight-decay", o.recipe.weight_decay, "D", "Of matrices (default: 0.1)");
  add_number(c, "--batch", o.batch, "TOKENS", "Tokens of a step, about (default: 8192)", 64, 1 << 24);
  add_number(c, "--branches", o.branches, "B", "Programs that share a prompt, at most (default: 16)", 1, 1 << 16);
  add_number(c, "--seed", o.recipe.seed, "S", "Other weights to begin with, other draws (default: 1)");
  add_number(c, "--threads", o.threads, "T", "Threads (default: all cores); the weights do not depend on it", 1, kMaxThreads);
}

void add_recipe_options(CLI::App& c, Options& o) {
  add_text(c, "--quality", o.recipe.quality, "MODE", "token, best or both (default: best)");
  add_number(c, "--enough", o.enough, "N", "Workloads with fewer programs have no best one (default: 24)", 1, 1 << 20);
  add_number(c, "--best", o.best, "N", "The best of a workload are at least so many programs (default: 3)", 1, 1 << 20);
  add_tolerance(c, "--soft", o.recipe.soft, "T",
                "In mode best programs are drawn by exp(-gap / T); 0: the best alone, evenly (default: 0.1)");
  add_tolerance(c, "--balance", o.recipe.balance, "P", "0: programs count alike; 1: workloads do (default: 0.5)");
  add_text(c, "--loss", o.recipe.loss, "TOKENS",
           "legal: over the legal tokens of each choice; all: over all words (default: legal)");
  add_number(c, "--pretrain", o.pretrain, "N", "First, constructive sentences of N shapes that nobody measured (default: 0)", 0,
             1 << 24);
  add_number(
      c, "--taught", o.taught, "N",
      "Beside what was measured, schedules of N shapes that nobody measured: carried over from the most similar workloads of the "
      "records, ranked by a cost model of the records (default: 0)",
      0, 1 << 24);
  add_tolerance(c, "--pretrain-epochs", o.recipe.pretrain_epochs, "E", "Times that each of them is drawn (default: 2)");
  add_tolerance(c, "--unknown-target", o.recipe.unknown_target, "SHARE", "Of prompts whose target is withheld (default: 0.2)");
  add_tolerance(c, "--withheld", o.recipe.withheld, "SHARE", "Of the numbers of a prompt, each time others (default: 0.2)");
  add_text(c, "--blind", o.recipe.blind, "WHAT", "Withhold from prompts: nothing, extents, target or all (default: nothing)");
  add_text(c, "--numbers", o.recipe.numbers, "ALPHABET", "How prompts write numbers: bits or decimal (default: bits)");
  add_tolerance(c, "--fraction", o.recipe.fraction, "SHARE", "Of the workloads to learn from (default: 1)");
  add_texts(c, "--leave-out-kind", o.recipe.leave_out_kinds, "KIND", "Learn nothing of this kind of workload (may be repeated)");
  add_texts(c, "--leave-out-variant", o.recipe.leave_out_variants, "NAME", "Learn nothing of this hardware (may be repeated)");
}

// The recipe's fields that an option sets.
void add_fields(std::vector<std::string>& fields, std::string option) {
  std::replace(option.begin(), option.end(), '-', '_');
  const std::map<std::string, std::vector<std::string>> others = {{"config", {"layers", "heads", "width"}},
                                                                  {"data", {"lists"}},
                                                                  {"time", {"time_s"}},
                                                                  {"leave_out_kind", {"leave_out_kinds"}},
                                                                  {"leave_out_variant", {"leave_out_variants"}}};
  const auto at = others.find(option);
  if (at == others.end())
    fields.push_back(std::move(option));
  else
    fields.insert(fields.end(), at->second.begin(), at->second.end());
}

}  // namespace

void add_train_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("train", "Train a language model on records of measurements");
  add_texts(*command, "--records", o->recipe.records, "FILE",
            "Records in any form: SQLite, packed (.xz), JSON lines (may be repeated)");
  add_text(*command, "--out", o->out, "FOLDER", "The model, its metrics, and what is needed to go on")->required();
  add_text(*command, "--data", o->recipe.lists, "FOLDER",
           "Lists of workloads that nothing is learned from (default: lm/data), or none, which the model card then says");
  command->add_flag("--resume", o->resume, "Go on where an interrupted training in FOLDER stopped, if there is one");
  add_number(*command, "--checkpoint", o->checkpoint_s, "S", "Keep the state every S seconds (default: 300)", 0, 1 << 30);
  add_number(*command, "--checkpoint-steps", o->checkpoint_steps, "N", "… and every N steps", 1, 1 << 30);
  add_number(*command, "--validations", o->validations, "N", "Looks at dev over the whole training (default: 12)", 0, 1 << 20);
  add_model_options(*command, *o);
  add_step_options(*command, *o);
  add_recipe_options(*command, *o);
  command->footer(R"(Examples:
  tlm train --records net.db --out model              four epochs, default size
  tlm train --out model --resume                      go on after an interruption
  tlm train --records net.db --out m --time 600       as much as fits into ten minutes
  tlm train --out untrained --steps 0                 random weights, for tests

Records of test workloads (by their key, or by the test list of --data) are refused.
Those of dev judge the model (metrics.jsonl, metrics.svg, MODEL_CARD.md).)");
  command->callback([o, &context, command] {
    o->command = "tlm train";
    o->settings.clear();
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() == 0 || option->check_lname("out") || option->check_lname("resume") || option->check_lname("threads"))
        continue;
      add_fields(o->settings, option->get_lnames().front());
      if (option->get_expected_max() == 0) {
        o->command += " " + option->get_name();
        continue;
      }
      for (const std::string& value : option->results()) o->command += " " + option->get_name() + " " + value;
    }
    o->command += " --out FOLDER";
    context.run = [o, &context] { return train(*o, context); };
  });
}

}  // namespace tlm::tools
