// The distinct workloads of real networks, for tests of spaces, sentences and code.
#pragma once

#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::test {

// Of the zoo's networks, and of the shared models where they are at hand. Computed once. Each distinct workload once, in a fixed
// order.
const std::vector<ir::Subgraph>& network_workloads();

}  // namespace tlm::test
