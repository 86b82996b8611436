// What records say of workloads that nobody measured: schedules that were fast on the most similar ones are carried over, and a
// cost model fitted to the records ranks them. It knows nothing but the records, takes some hundredths of a second for each
// workload, and is gone once a model has learned from it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/lm/training/cost_model_fit.h"
#include "tlm/lm/training/neighbours.h"
#include "tlm/lm/training/projection.h"

namespace tlm::lm {

class Teacher {
 public:
  // Depends on `measured` alone, not on the executor.
  Teacher(const std::vector<MeasuredWorkload>& measured, Executor& executor);

  // At most `count` complete schedules, the fastest first, each with ln(its time / the fastest's) as it is foretold. Never empty:
  // the constructive schedule is among those that are ranked. May be called from several threads.
  std::vector<std::pair<space::Walk, float>> programs(const space::Space& space, size_t count) const;

 private:
  Neighbours neighbours_;
  std::shared_ptr<const space::CostModel> cost_model_;
  std::vector<std::vector<RecordedChoices>> fast_;  // of each workload, the fastest first
};

}  // namespace tlm::lm
