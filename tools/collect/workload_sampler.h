// Workloads like those of networks, drawn: shapes that no network at hand has, through the same passes and the same partition.
#pragma once

#include <cstdint>
#include <string>

#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/records/workload_kind.h"
#include "tlm/tools/collect/sizes.h"

namespace tlm::collect {

struct SampledWorkload {
  std::string name;  // "bottleneck 17": family and index
  space::WorkloadKind kind = space::WorkloadKind::kMap;
  ir::Subgraph subgraph;
};

class WorkloadSampler {
 public:
  explicit WorkloadSampler(uint64_t seed, SizeRange range = SizeRange::kTraining) : seed_(seed), range_(range) {}
  // A function of seed, range and index alone. Windows, products and single channels come up most. Different indices may give
  // equal workloads.
  SampledWorkload at(int64_t index) const;
  // Of one kind.
  SampledWorkload at(int64_t index, space::WorkloadKind kind) const;

 private:
  uint64_t seed_;
  SizeRange range_;
};

}  // namespace tlm::collect
