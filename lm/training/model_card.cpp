#include "tlm/lm/training/model_card.h"

#include <cstdio>
#include <map>
#include <set>

#include "tlm/core/version.h"
#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/lm/training/packing.h"
#include "tlm/space/language/vocabulary.h"
#include "tlm/space/version.h"

namespace tlm::lm {
namespace {

std::string fixed(double v, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, v);
  return text;
}

struct Tally {
  std::set<uint64_t> workloads;
  int64_t groups = 0, programs = 0;
  void add(const PromptGroup& g) {
    workloads.insert(g.workload_hash);
    ++groups;
    programs += static_cast<int64_t>(g.programs.size());
  }
  std::string cells() const {
    return std::to_string(workloads.size()) + " | " + std::to_string(groups) + " | " + std::to_string(programs) + " |\n";
  }
};

// Rows by whatever `name_of` says of a group.
template <typename NameOf>
std::string rows(const Dataset& data, const NameOf& name_of) {
  std::map<std::string, Tally> by_name;
  for (const PromptGroup& g : data.groups)
    if (!g.taught) by_name[name_of(g)].add(g);
  std::string out;
  for (const auto& [name, tally] : by_name) out += "| " + name + " | " + tally.cells();
  return out;
}

std::string split_row(const char* name, const Dataset& data) {
  Tally all;
  for (const PromptGroup& g : data.groups)
    if (!g.taught) all.add(g);
  return std::string("| ") + name + " | " + all.cells();
}

std::string left_out(const DatasetCounts& c) {
  std::string out;
  const auto add = [&](int64_t n, const char* why) {
    if (n > 0) out += "- " + std::to_string(n) + " programs " + why + "\n";
  };
  add(c.held_out, "of workloads or hardware held out:");
  for (const auto& [why, n] : c.reasons) out += "  - " + std::to_string(n) + ": " + why + "\n";
  add(c.left_out, "of kinds or variants that this training leaves out");
  add(c.beyond_fraction, "beyond the fraction of the data that this training uses");
  add(c.too_long, "whose sentences exceed the context");
  add(c.refused, "whose schedules the space of today does not have");
  add(c.no_choice, "of spaces that hold one schedule alone");
  return out;
}

std::string dev_part(const TrainedModel& model, const Recipe& r) {
  const StepMetrics* last = nullptr;
  for (const StepMetrics& m : model.metrics)
    if (m.dev) last = &m;
  if (!last) return "";
  const Validation& v = *last->dev;
  std::string out = "On dev after step " + std::to_string(last->step) + " (" + std::to_string(v.programs) + " programs of " +
                    std::to_string(v.groups) + " workloads and targets, none of them learned from):\n\n";
  out += "| | |\n|---|---|\n";
  out += "| loss" + std::string(r.quality_buckets() == 0 ? " of the best programs" : "") +
         ", nats for each choice among legal tokens | " + fixed(v.loss, 4) + " |\n";
  out += "| … of the best programs, the best quality asked for | " + fixed(v.best_loss, 4) + " |\n";
  out += "| loss, nats for each token among all words | " + fixed(v.full_loss, 4) + " |\n";
  out += "| choices foretold | " + fixed(100 * v.accuracy, 1) + " % |\n";
  out += "| best latency ÷ that of the likeliest program (geometric mean) | " + fixed(v.pick, 4) + " |\n";
  out += "| … of one chosen at random | " + fixed(v.random_pick, 4) + " |\n";
  for (const auto& [kind, pick] : v.pick_of_kind) out += "| … likeliest, " + kind + " | " + fixed(pick, 4) + " |\n";
  return out + "\n";
}

}  // namespace

std::string model_card(const TrainedModel& model, const Datasets& data, const LabelCounts& labels, const Recipe& r,
                       const std::string& command) {
  std::string out = "# A model of the tensor language\n\n";
  out += "A GPT-2 of " + std::to_string(model.parameters) + " parameters (" + std::to_string(r.layers) + " layers, " +
         std::to_string(r.heads) + " heads, width " + std::to_string(r.width) + ", context " + std::to_string(r.context) +
         ") that writes schedules. Made by tlm " + kEngineVersion + ", space version " + std::to_string(space::kSpaceVersion) +
         ", language version " + std::to_string(space::kLanguageVersion) + ", trained with " + kernels::block_kernels().name +
         " instructions:\n\n";
  out += "```\n" + command + "\n```\n\n## Data\n\n";
  out += "| | workloads | … on targets | programs |\n|---|---|---|---|\n";
  out += split_row("train", data.train) + split_row("dev", data.dev);
  out += "\nRecords of test workloads are refused. ";
  if (r.lists == kNoLists)
    out +=
        "**No list of held-out workloads was read (`--data none`)**: workloads of networks, of the test list among them, and "
        "neighbours of what models are judged by may have been learned from where their keys do not say test. ";
  out += std::to_string(labels.records) + " records; " + std::to_string(labels.older) + " of older versions, " +
         std::to_string(labels.without_ratio) + " without a latency, " + std::to_string(labels.disturbed) +
         " of disturbed batches, " + std::to_string(labels.broken) + " programs that were wrong or failed and " +
         std::to_string(labels.same) + " other spellings of the same program are left out.";
  const std::string train_out = left_out(model.train);
  out += train_out.empty() ? "\n\n" : " Also left out of train:\n\n" + train_out + "\n";
  out += "The longest sentence has " + std::to_string(std::max(model.train.longest, model.dev.longest)) + " tokens.\n\n";
  out += "| kind (train) | workloads | … on targets | programs |\n|---|---|---|---|\n";
  out += rows(data.train, [](const PromptGroup& g) { return g.kind; });
  out += "\n| hardware (train) | workloads | … on targets | programs |\n|---|---|---|---|\n";
  out += rows(data.train, [](const PromptGroup& g) { return g.variant; });
  if (model.pretraining_sentences > 0)
    out += "\nPretrained on " + std::to_string(model.pretraining_sentences) +
           " sentences of the constructive scheduler about computations that were not measured.\n";
  if (model.taught_sentences > 0)
    out += "\nBeside them " + std::to_string(model.taught_sentences) + " sentences about " + std::to_string(r.taught) +
           " sampled shapes (less those that may not be learned) that were not measured: schedules that were fast on the most "
           "similar workloads above, carried over and ranked by a cost model of the programs above. They are " +
           fixed(100 * taught_share(data.train, r.packing()), 0) + " % of the sentences that were drawn.\n";

  out += "\n## Training\n\n";
  if (model.metrics.empty()) {
    out += "None: the weights are as they were initialised.\n\n";
  } else {
    const StepMetrics& last = model.metrics.back();
    double loss = 0;
    int64_t steps = 0;
    for (auto m = model.metrics.rbegin(); m != model.metrics.rend() && steps < 100 && m->phase == last.phase; ++m, ++steps)
      loss += m->loss;
    out += std::to_string(model.pretraining_steps) + " steps of pretraining, " + std::to_string(model.steps) + " of training, " +
           std::to_string(last.tokens) + " tokens, " + fixed(last.seconds, 0) + " s. Loss over the last " +
           std::to_string(steps) + " steps: " + fixed(loss / static_cast<double>(steps), 4) + ".\n\n";
  }
  out += dev_part(model, r);
  return out + "Settings:\n\n```json\n" + print_recipe(r) + "\n```\n";
}

}  // namespace tlm::lm
