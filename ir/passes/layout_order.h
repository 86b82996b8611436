// Physical orders of dimensions (Value::order) and what reshaping makes of them.
#pragma once

#include <vector>

#include "tlm/core/shape.h"

namespace tlm::ir {

// [batch, channels, space…] with the channels innermost, for ranks 3 to 5; empty for others.
std::vector<int> channels_last(size_t rank);

// The order of a value of shape `to` whose buffer is that of (`from`, `order`) read in row-major order of the indices; empty if
// there is none or it is row-major. [1,64,8,8] channels-last → [1,2,32,8,8] with order 0,3,4,1,2.
std::vector<int> reshaped_order(const Shape& from, const std::vector<int>& order, const Shape& to);

// The order puts every element where row-major order does (only dimensions of extent 1 move).
bool row_major_anyway(const Shape& shape, const std::vector<int>& order);

}  // namespace tlm::ir
