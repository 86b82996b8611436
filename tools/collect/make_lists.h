// How the committed lists are made.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tlm/ir/graph/graph.h"
#include "tlm/tools/collect/workload_list.h"

namespace tlm::collect {

struct WorkloadLists {
  std::vector<ListedWorkload> test;      // of networks, interpolated, extrapolated
  std::vector<ListedWorkload> dev;       // of the sampler, where the key's split is dev
  std::vector<ListedWorkload> networks;  // of the zoo and of `models`: one for each key
};

// `models`: further networks by name, as they are imported (before the graph passes). The same lists for the same models.
WorkloadLists make_workload_lists(std::vector<std::pair<std::string, ir::Graph>> models);

}  // namespace tlm::collect
