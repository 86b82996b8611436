// Random data for the programs of one workload, and what they must compute from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::codegen {

struct ExpectedPoints {
  int tensor = -1;                 // an output
  std::vector<int64_t> positions;  // flat, row-major
  std::vector<double> values;      // by the interpreter
};

struct WorkloadData {
  uint64_t workload_hash = 0;
  std::vector<Tensor> values;            // by tensor: inputs and constants
  std::vector<ExpectedPoints> expected;  // for each output
};

// Inputs and constants as random_tensor makes them; integers that serve as indices stay inside what they index. Long tensors
// repeat themselves with a prime period.
WorkloadData make_workload_data(const ir::Subgraph& g, uint64_t seed);

// "" if `got` (a logical tensor) is near enough to the interpreter's values at the expected points, else what differs.
std::string compare_points(const Tensor& got, const ExpectedPoints& expected);
// The same for all elements of what another program of the workload computed.
std::string compare_all(const Tensor& got, const Tensor& other);

}  // namespace tlm::codegen
