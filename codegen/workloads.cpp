#include "tlm/codegen/workloads.h"

#include <map>

namespace tlm::codegen {

std::vector<Workload> distinct_workloads(const ir::Partition& p, std::vector<int>& workload_of) {
  std::vector<Workload> workloads;
  std::map<uint64_t, int> by_hash;
  workload_of.assign(p.steps.size(), -1);
  for (size_t s = 0; s < p.steps.size(); ++s) {
    const ir::Step& step = p.steps[s];
    if (step.kind != ir::StepKind::kSubgraph) continue;
    const uint64_t hash = ir::workload_hash(step.subgraph);
    const auto [it, fresh] = by_hash.try_emplace(hash, static_cast<int>(workloads.size()));
    if (fresh) {
      workloads.emplace_back();
      workloads.back().hash = hash;
      workloads.back().step = &step;
    }
    workloads[static_cast<size_t>(it->second)].count++;
    workload_of[s] = it->second;
  }
  return workloads;
}

}  // namespace tlm::codegen
