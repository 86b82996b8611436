#include "tlm/tools/collect/plan.h"

#include <set>

#include "tlm/tools/collect/workload_sampler.h"

namespace tlm::collect {

std::vector<PlanItem> training_plan(int workloads, uint64_t seed, const space::Exclusion& exclusion,
                                    const std::vector<Variant>& variants, const std::vector<space::WorkloadKind>& kinds) {
  std::vector<Variant> mains, others;
  for (const Variant& v : variants) (v.main ? mains : others).push_back(v);
  const WorkloadSampler sampler(seed);
  std::vector<PlanItem> plan;
  std::set<uint64_t> distinct;
  size_t next_other = 0;
  for (int64_t index = 0; static_cast<int>(distinct.size()) < workloads; ++index) {
    SampledWorkload w = kinds.empty() ? sampler.at(index) : sampler.at(index, kinds[static_cast<size_t>(index) % kinds.size()]);
    if (!exclusion.obstacle(w.subgraph).empty() || !distinct.insert(ir::workload_hash(w.subgraph)).second) continue;
    const auto subgraph = std::make_shared<const ir::Subgraph>(std::move(w.subgraph));
    const size_t number = distinct.size() - 1;
    if (!mains.empty()) plan.push_back({w.name, w.kind, subgraph, mains[number % mains.size()]});
    const bool elsewhere = mains.empty() || number * 3 % 7 < 3;
    if (elsewhere && !others.empty()) plan.push_back({w.name, w.kind, subgraph, others[next_other++ % others.size()]});
  }
  return plan;
}

std::vector<PlanItem> list_plan(const std::vector<ListedWorkload>& list, const std::vector<Variant>& variants) {
  std::vector<PlanItem> plan;
  for (const ListedWorkload& w : list) {
    const auto subgraph = std::make_shared<const ir::Subgraph>(w.subgraph);
    for (const Variant& v : variants)
      if (v.target.cores == w.cores) plan.push_back({w.name, w.kind, subgraph, v});
  }
  return plan;
}

}  // namespace tlm::collect
