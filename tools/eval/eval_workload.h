// A workload by which schedulers are judged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tlm/core/target.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/space.h"

namespace tlm::eval {

struct EvalWorkload {
  std::string name;  // unique in its list
  std::string kind;  // space/records/workload_kind.h
  std::string set;   // "network:resnet50", "interpolated", "extrapolated", "dev"
  int cores = 1;
  ir::Subgraph subgraph;
  uint64_t hash = 0;  // ir::workload_hash
};

// A committed list (collect/workload_list.h). Throws Error(kBadModel): the line and what is wrong with it, a name that occurs
// twice.
std::vector<EvalWorkload> read_workloads(const std::filesystem::path& file);

// What happens to it on `machine`, with its own number of cores.
Target target_of(const EvalWorkload& w, Target machine);
std::shared_ptr<const space::Space> space_of(const EvalWorkload& w, const Target& machine);

}  // namespace tlm::eval
