// Training: steps over the batches of one or more phases, kept on disk so that nothing is lost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/executor.h"
#include "tlm/core/progress.h"
#include "tlm/lm/language_model.h"
#include "tlm/lm/training/adamw.h"
#include "tlm/lm/training/learning_rate.h"
#include "tlm/lm/training/metrics.h"
#include "tlm/lm/training/packing.h"
#include "tlm/lm/training/validation.h"

namespace tlm::lm {

// A number of steps on one dataset, with a rate that rises and falls once.
struct Phase {
  std::string name;  // in the metrics
  const Dataset* data = nullptr;
  PackingOptions packing;
  LearningRate rate;
  uint64_t seed = 1;  // of what is drawn
  int64_t steps = 0;
};

struct TrainerOptions {
  AdamWOptions adamw;
  double clip = 1;        // largest norm of a gradient
  uint64_t identity = 0;  // of data and settings: a state of another one is refused
  int validations = 12;   // over the whole training, the last after the last step; 0: none
  ValidationOptions validation;
  double checkpoint_seconds = 300;
  int64_t checkpoint_steps = 0;  // 0: by time alone
  std::filesystem::path folder;
  CancelToken cancel;
};

// Steps in `epochs` epochs of the data (any part of one at the end).
int64_t steps_of_epochs(const Dataset& data, const PackingOptions& packing, uint64_t seed, double epochs);

// Seconds of one step, of a few that change nothing.
double measure_step(const Weights& weights, const Phase& phase, Executor& executor);

// Trains `weights` in place, from the last state in the folder if there is one: the weights in the end are the same bits, however
// often it was interrupted or killed and on any executor. Writes metrics.jsonl and states (training_state.h), the last one after
// the last step. Throws Error: kInterrupted after a state was kept; kUsage for a state of other data or settings, or data without
// anything to learn.
void train(Weights& weights, const LanguageInfo& language, const std::vector<Phase>& phases, const Dataset& dev,
           const TrainerOptions& options, Executor& executor, Progress& progress);

}  // namespace tlm::lm
