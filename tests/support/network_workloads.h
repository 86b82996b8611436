// The distinct workloads of real networks, for tests of spaces, sentences and code.
#pragma once

#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::test {

// Of the zoo's networks: the same on every machine. Computed once. Each distinct workload once, in a fixed order.
const std::vector<ir::Subgraph>& zoo_workloads();

// Those, then the further ones of the shared models where they are at hand.
const std::vector<ir::Subgraph>& network_workloads();

}  // namespace tlm::test
