// Constants of a rewritten subgraph that are computed when the package is made.
#pragma once

#include <memory>
#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::codegen {

// Where a constant comes from: an original tensor, and what is evaluated on it, in order.
struct ConstantOrigin {
  int tensor = -1;
  std::vector<std::shared_ptr<const ir::Subgraph>> recipes;
};
ConstantOrigin constant_origin(const ir::Subgraph& g, int tensor);

Tensor derive(Tensor source, const std::vector<std::shared_ptr<const ir::Subgraph>>& recipes);

}  // namespace tlm::codegen
