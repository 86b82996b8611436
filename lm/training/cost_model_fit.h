// A cost model fitted to the labels that models are trained on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/core/target.h"
#include "tlm/lm/training/labels.h"
#include "tlm/space/search/cost_model.h"
#include "tlm/space/space.h"

namespace tlm::lm {

// One workload on one target.
struct MeasuredWorkload {
  ir::Subgraph subgraph;
  Target target;
  std::vector<LabelledProgram> programs;  // fastest first, slow ones last
};

// Why nothing may be learned from a workload on a target; empty: it may be.
using Obstacle = std::function<std::string(const ir::Subgraph& g, const Target& t)>;

// Those that may be learned from, in the order of `labelled`.
std::vector<MeasuredWorkload> measured_workloads(std::vector<LabelledWorkload> labelled, const Obstacle& obstacle);

// Fitted to about `most_rows` programs, spread evenly; foretells log2 of a program's time as a multiple of the constructive
// schedule's. Depends on its arguments alone, not on the executor.
std::shared_ptr<const space::CostModel> fit_cost_model(const std::vector<MeasuredWorkload>& measured, size_t most_rows,
                                                       Executor& executor);

}  // namespace tlm::lm
