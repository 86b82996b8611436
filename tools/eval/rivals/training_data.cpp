#include "tlm/tools/eval/rivals/training_data.h"

namespace tlm::eval {

std::vector<TrainingWorkload> training_workloads(std::vector<lm::LabelledWorkload> labelled, const Obstacle& obstacle) {
  std::vector<TrainingWorkload> all;
  for (lm::LabelledWorkload& w : labelled) {
    ir::Subgraph g = ir::parse_subgraph(w.workload);
    Target t = parse_target_json(w.target, "record");
    if (obstacle(g, t).empty()) all.push_back({std::move(g), std::move(t), std::move(w.programs)});
  }
  return all;
}

}  // namespace tlm::eval
