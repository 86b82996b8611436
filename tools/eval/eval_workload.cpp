#include "tlm/tools/eval/eval_workload.h"

#include <set>

#include "tlm/core/error.h"
#include "tlm/tools/collect/workload_list.h"

namespace tlm::eval {

std::vector<EvalWorkload> read_workloads(const std::filesystem::path& file) {
  std::vector<EvalWorkload> list;
  std::set<std::string> names;
  for (collect::ListedWorkload& w : collect::read_workload_list(file)) {
    if (!names.insert(w.name).second) throw Error(ErrorCode::kBadModel, "the name '" + w.name + "' occurs twice", file.string());
    const uint64_t hash = ir::workload_hash(w.subgraph);
    list.push_back({w.name, std::string(space::workload_kind_name(w.kind)), w.set, w.cores, std::move(w.subgraph), hash});
  }
  return list;
}

Target target_of(const EvalWorkload& w, Target machine) {
  machine.cores = w.cores;
  return machine;
}

std::shared_ptr<const space::Space> space_of(const EvalWorkload& w, const Target& machine) {
  return space::Space::build(w.subgraph, target_of(w, machine));
}

}  // namespace tlm::eval
