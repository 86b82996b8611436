#include "tests/support/network_workloads.h"

#include <set>

#include "tests/support/shared_data.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::test {
namespace {

std::vector<ir::Subgraph> find_workloads(bool with_shared) {
  std::vector<ir::Subgraph> workloads;
  std::set<uint64_t> seen;
  const auto add = [&](ir::Graph g) {
    ir::run_graph_passes(g);
    for (const ir::Step& s : ir::partition(g).steps)
      if (s.kind == ir::StepKind::kSubgraph && seen.insert(ir::workload_hash(s.subgraph)).second) workloads.push_back(s.subgraph);
  };
  for (const std::string& name : tools::zoo_names()) add(tools::make_zoo(name, 1, 0));
  if (with_shared)
    for (const NetworkFile& n : shared_networks()) add(ir::read_onnx(n.model));
  return workloads;
}

}  // namespace

const std::vector<ir::Subgraph>& zoo_workloads() {
  static const std::vector<ir::Subgraph> workloads = find_workloads(false);
  return workloads;
}

const std::vector<ir::Subgraph>& network_workloads() {
  static const std::vector<ir::Subgraph> workloads = find_workloads(true);
  return workloads;
}

}  // namespace tlm::test
