// Schedulers by name, and which of them is the default.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tlm/lm/decoding/strategies.h"
#include "tlm/lm/language_model.h"
#include "tlm/lm/lm_scheduler.h"
#include "tlm/space/scheduler.h"

namespace tlm {

struct EngineOptions;

// Of the scheduler "lm".
struct LmSettings {
  std::filesystem::path model;                      // folder of a checkpoint; empty: the weights that are built in
  std::shared_ptr<const lm::LanguageModel> loaded;  // a model that is loaded already: taken instead
  // A strategy of the table, with its parameters: "sampling:temperature=0.8,n=10". Empty: "greedy", or "gumbel" where several
  // schedules are wanted.
  std::string decode;
  lm::StrategyTable strategies = lm::standard_strategies();  // applications may add their own (docs/decoding.md)
};

// What the language model did.
struct LmUse {
  std::string model, decode;
  double load_ms = 0;  // reading the weights
  lm::LmReport report;
};

std::vector<std::string> scheduler_names();  // "default", "lm", "constructive", …
// Who "default" is for these options: the language model where its weights are at hand (subgraphs for a target that they do not
// fit take the constructive schedule, and its report says so), else "constructive". Any other name is itself; throws
// Error(kUsage) that lists the names.
std::string resolved_scheduler(const EngineOptions& options);
std::string resolved_decode(const LmSettings& settings, int schedules);
// The model that "lm" uses. Throws Error: kUsage when no weights are built in and no folder is named, kBadModel, kEnvironment.
std::shared_ptr<const lm::LanguageModel> language_model(const LmSettings& settings);
// `schedules`: for each space, at most (those that write fewer write fewer). Of "search" what it begins with: it measures, see
// Engine::search. Throws as the two above, and Error(kUsage) for a bad strategy.
std::unique_ptr<space::Scheduler> make_scheduler(const EngineOptions& options, int schedules = 1);
// Of the scheduler "lm", nothing of another one: what it did in its last call; and which of its schedules were taken in the end.
std::optional<LmUse> lm_use(const space::Scheduler& scheduler, const std::string& decode);
void tell_taken(space::Scheduler& scheduler, const std::vector<space::Schedule>& schedules);
// That of the options, else one for this machine.
std::shared_ptr<space::Measurer> engine_measurer(const EngineOptions& options);

}  // namespace tlm
