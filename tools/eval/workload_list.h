// The workloads by which schedulers are judged, as a file of JSON lines:
//   {"name": …, "kind": …, "set": "network:resnet50" | "interpolated" | "extrapolated", "cores": 1, "subgraph": text of
//   ir::print}
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
  std::string set;
  int cores = 1;
  ir::Subgraph subgraph;
  uint64_t hash = 0;  // ir::workload_hash
};

// Throws Error(kBadModel) that names file and line: no JSON, a key that is missing or of another type, a name that occurs twice.
std::vector<EvalWorkload> read_workload_list(const std::filesystem::path& file);
std::vector<EvalWorkload> parse_workload_list(const std::string& text, const std::string& where);
std::string workload_line(const EvalWorkload& w);  // without its end

// What happens to it on `machine`, with its own number of cores.
Target target_of(const EvalWorkload& w, Target machine);
std::shared_ptr<const space::Space> space_of(const EvalWorkload& w, const Target& machine);

}  // namespace tlm::eval
