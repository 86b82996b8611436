// The canonical form of a subgraph: as few axes as its accesses allow.
#pragma once

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {

// The same computation with axes and tensor dimensions of extent 1 dropped, and with two axes run as one wherever every access of
// every stage allows it: both are plain indices of two dimensions that lie in memory as one, or neither occurs. An axis in a
// guard or in a window (padding, strides, halos) stays apart. The merged axis runs over the first, then the second.
//
// Tensors keep their numbers and buffers. Addresses of inputs and outputs are the same; a constant is the same row-major sequence
// under another shape (Tensor::reshaped); internal tensors are laid out anew, in the same physical order.
Subgraph merge_axes(const Subgraph& g);

}  // namespace tlm::ir
