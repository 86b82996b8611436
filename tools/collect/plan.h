// What is measured, in which order: workloads on hardware variants.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm/space/records/exclusion.h"
#include "tlm/tools/collect/variants.h"
#include "tlm/tools/collect/workload_list.h"

namespace tlm::collect {

struct PlanItem {
  std::string name;  // of the workload
  space::WorkloadKind kind = space::WorkloadKind::kMap;
  std::shared_ptr<const ir::Subgraph> subgraph;
  Variant variant;
};

// The first `workloads` distinct ones of the sampler that may be learned from: each on one of the main variants in turn, three
// of seven on one of the others besides (so that seven of ten items are of the main ones). Without a main variant each is
// measured on one of the others. Every prefix of a plan is a plan for fewer workloads. Held-out variants may be among those
// handed in: whoever asks for them has a reason. `kinds`: workloads of these in turn; empty: of all, in the sampler's shares.
std::vector<PlanItem> training_plan(int workloads, uint64_t seed, const space::Exclusion& exclusion,
                                    const std::vector<Variant>& variants, const std::vector<space::WorkloadKind>& kinds = {});
// Each workload of the list on every variant that has its number of cores.
std::vector<PlanItem> list_plan(const std::vector<ListedWorkload>& list, const std::vector<Variant>& variants);

}  // namespace tlm::collect
