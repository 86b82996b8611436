// Between a logical row-major tensor and the strided buffer that a TensorDecl describes.
#pragma once

#include <cstddef>
#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {

// The buffer of `decl` (buffer_elements long) with the elements of `logical` at their addresses and `fill` in every other byte.
// TLM_CHECKs that type and shape agree and that every address lies inside the buffer.
std::vector<std::byte> place(const TensorDecl& decl, const Tensor& logical, std::byte fill = std::byte{0});
// The same into memory of the caller: decl.buffer_elements elements; other bytes are left alone.
void place_into(const TensorDecl& decl, const Tensor& logical, std::byte* buffer);
// The logical tensor that lies in `buffer`.
Tensor gather(const TensorDecl& decl, const std::byte* buffer);

}  // namespace tlm::ir
