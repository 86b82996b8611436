// A constant in the physical layout that a kernel wants.
#pragma once

#include <cstddef>
#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// The bytes of `t` laid out as `dims` says (outermost first; elements outside the logical shape are zero). Empty dims: row-major.
std::vector<std::byte> pack_constant(const Tensor& t, const std::vector<ir::PackedDim>& dims);

}  // namespace tlm::codegen
