// Language models as entrants of a race.
#pragma once

#include <filesystem>
#include <string>

#include "tlm/core/executor.h"
#include "tlm/core/log.h"
#include "tlm/tools/eval/race/contender.h"

namespace tlm::eval {

struct ModelChoice {
  std::string name;               // of the contender
  std::filesystem::path folder;   // a checkpoint of the tensor language (lm/language_model.h)
  std::string decode = "greedy";  // strategy with its parameters (lm/decoding/strategies.h)
  int k = 1;                      // programs that are measured
  bool blind_target = false;      // what it reads of the hardware is `unknown`
  uint64_t seed = 0;              // of strategies that draw
};

// Reads the folder at once, so that faults are told before anything is measured. Throws Error: kBadModel, kUsage (the strategy).
// Workloads for which the model wrote nothing and the constructive schedule stands in are told by `log`.
Entrant model_entrant(const ModelChoice& choice, Executor& executor, const Log& log);
// The same with weights as training begins with them.
Entrant untrained_entrant(const ModelChoice& choice, Executor& executor, const Log& log);

}  // namespace tlm::eval
