// The matrices of a model, laid out for products; training packs them once for each batch.
#pragma once

#include <vector>

#include "tlm/core/executor.h"
#include "tlm/kernels/cpu/packed_matrix.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

struct PackedLayer {
  kernels::PackedMatrix attention, output, fc, mlp;                      // [in, out]
  kernels::PackedMatrix attention_back, output_back, fc_back, mlp_back;  // [out, in]: for the gradient by the input
};

struct PackedModel {
  std::vector<PackedLayer> layers;
  kernels::PackedMatrix head, head_back;  // [C, V], [V, C]

  void pack(Weights& weights, bool with_backward, Executor& executor);
};

}  // namespace tlm::lm
