// The distinct workloads of a partition, their spaces, schedules and kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/core/target.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/ir/partition.h"
#include "tlm/space/space.h"

namespace tlm::codegen {

struct Workload {
  uint64_t hash = 0;
  const ir::Step* step = nullptr;             // the first with this workload
  int count = 0;
  std::shared_ptr<const space::Space> space;
  space::Schedule schedule;
  std::shared_ptr<const ir::Subgraph> program;  // what the kernel computes: the step's subgraph with algorithms replaced
  ir::Kernel kernel;
  uint32_t first_entry = 0;                   // of its phases in the module
};

// Equal subgraphs are one workload. workload_of[step] is -1 for runtime calls.
std::vector<Workload> distinct_workloads(const ir::Partition& p, std::vector<int>& workload_of);

}  // namespace tlm::codegen
