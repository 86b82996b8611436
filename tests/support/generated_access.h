// How a generated program reads a tensor: one pattern for each dimension.
#pragma once

#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::test {

// index = (a_scale·axis a + b_scale·axis b + offset) [÷ div] [mod mod]; an axis of -1 is left out.
struct Dim {
  int64_t extent = 1;  // of the tensor
  int a = -1, b = -1;
  int64_t a_scale = 1, b_scale = 1, offset = 0;
  int64_t div = 1, mod = 0;
  bool guarded = false;   // the index may leave the tensor: read 0 there
  int index_tensor = -1;  // the index is an element of this tensor (indexed by axis a), wrapped and clamped
};

struct Access {
  int tensor = -1;
  std::vector<Dim> dims;
};

int64_t highest(const Dim& d, const std::vector<ir::Axis>& axes);  // largest index
ir::Expr build_load(const Access& a, const ir::Subgraph& g);

}  // namespace tlm::test
