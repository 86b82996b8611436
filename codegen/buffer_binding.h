// Which buffer every value of a graph lives in: a port of the model, the weights or the arena.
#pragma once

#include <map>
#include <vector>

#include "tlm/codegen/compiler.h"
#include "tlm/codegen/workloads.h"
#include "tlm/core/runtime/manifest.h"
#include "tlm/ir/partition.h"

namespace tlm::codegen {

struct BufferBinding {
  std::vector<std::vector<runtime::BufferRef>> args;   // by step: in the order of its kernel's parameters, or of a call's tensors
  std::vector<uint64_t> workspace_offsets;             // by step, in the arena
  std::vector<WeightBlock> weights;
  uint64_t weights_bytes = 0;
  uint64_t arena_bytes = 0;
};

// workspace_bytes: scratch of each step. A value and its aliases share one buffer, which is an output of the model if any of them is.
BufferBinding bind_buffers(const ir::Graph& g, const ir::Partition& p, const std::vector<Workload>& workloads,
                           const std::vector<int>& workload_of, const std::vector<uint64_t>& workspace_bytes);

}  // namespace tlm::codegen
