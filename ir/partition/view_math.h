// Strides of reshaped tensors: when two shapes may share one buffer, and how.
#pragma once

#include <optional>
#include <vector>

#include "tlm/core/shape.h"

namespace tlm::ir {

// Dimensions of extent 1 dropped, neighbours that step through memory evenly joined. Two strided tensors of equal size place
// every row-major position at the same address exactly when their coalesced forms are equal.
struct Strided {
  Shape shape;
  std::vector<int64_t> strides;  // elements
  bool operator==(const Strided&) const = default;
};
Strided coalesce(const Shape& shape, const std::vector<int64_t>& strides);

// Strides under which a tensor of shape `to` reads the elements of (`from`, `strides`) in row-major order, or nothing where
// that is no strided view. Sizes must be equal. Dimensions of extent 1 get the stride that a dense tensor would have there.
std::optional<std::vector<int64_t>> reshape_strides(const Shape& from, const std::vector<int64_t>& strides, const Shape& to);

// The coarsest shape that splits the dimensions of both, or nothing ([4,6] and [6,4]). Sizes must be equal.
std::optional<Shape> common_refinement(const Shape& a, const Shape& b);

// The same address for every index, whatever the strides of dimensions of extent 1.
bool same_strides(const Shape& shape, const std::vector<int64_t>& a, const std::vector<int64_t>& b);

}  // namespace tlm::ir
