// Extents and strides of tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tlm {

using Shape = std::vector<int64_t>;  // extents, outermost first; {} is a scalar

// Number of elements. Throws Error(kBadModel) on a negative extent or when the product exceeds 2^62.
int64_t element_count(const Shape& shape);
// Strides in elements of a dense row-major tensor.
std::vector<int64_t> row_major_strides(const Shape& shape);
// "[1,64,56,56]"
std::string to_string(const Shape& shape);

}  // namespace tlm
