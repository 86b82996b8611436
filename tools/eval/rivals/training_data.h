// What rivals learn from: the labels that models are trained on (lm/training/labels.h), with the same held out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/core/target.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/lm/training/labels.h"

namespace tlm::eval {

using TrainingProgram = lm::LabelledProgram;

// One workload on one target.
struct TrainingWorkload {
  ir::Subgraph subgraph;
  Target target;
  std::vector<TrainingProgram> programs;  // fastest first, slow ones last
};

// Why nothing may be learned from a workload on a target; empty: it may be.
using Obstacle = std::function<std::string(const ir::Subgraph& g, const Target& t)>;

// Those that may be learned from, in the order of `labelled`.
std::vector<TrainingWorkload> training_workloads(std::vector<lm::LabelledWorkload> labelled, const Obstacle& obstacle);

}  // namespace tlm::eval
