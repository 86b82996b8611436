// What else could write a schedule without measuring: rivals of the model, as schedulers. Each is one file of this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/space/scheduler.h"
#include "tlm/space/search/cost_model.h"
#include "tlm/tools/eval/rivals/training_data.h"

namespace tlm::eval {

using TrainingSet = std::shared_ptr<const std::vector<TrainingWorkload>>;

// Up to `schedules` for each space, all different.

// without_training.cpp: the constructive schedule, then its variations.
std::unique_ptr<space::Scheduler> make_constructive_rival(int schedules);
// without_training.cpp: independent uniform draws.
std::unique_ptr<space::Scheduler> make_random_rival(int schedules, uint64_t seed);
// nearest.cpp: the best schedules of the training workloads that are most like the one in question, projected to its space.
std::unique_ptr<space::Scheduler> make_nearest_rival(TrainingSet training, int schedules);
// ngram.cpp: counts of decision words after up to `order - 1` words of the sentence before them, in good training programs; the
// most frequent legal word each time, then draws.
std::unique_ptr<space::Scheduler> make_ngram_rival(TrainingSet training, int schedules, uint64_t seed, int order = 6,
                                                   Executor& executor = serial_executor());

// cost_model.cpp: regression trees on the features of the training programs.
using lm::fit_cost_model;
struct CostModelBudget {
  double seconds = 0;  // wall-clock for each workload, on all threads of the executor; 0: `samples`
  int samples = 0;     // schedules looked at for each workload: a budget that repeats exactly
};
// Samples schedules of the space while the budget lasts and ranks them by the model; the constructive one is among them.
std::unique_ptr<space::Scheduler> make_cost_model_rival(std::shared_ptr<const space::CostModel> model,
                                                        const CostModelBudget& budget, int schedules, uint64_t seed,
                                                        Executor& executor);

}  // namespace tlm::eval
