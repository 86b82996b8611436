// A small random model whose every tensor matters.
#pragma once

#include "tlm/core/rng.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

inline Config tiny_config() {
  return {.layers = 2, .heads = 2, .width = 12, .inner = 20, .context = 11, .vocabulary = 19, .epsilon = 1e-5f};
}

inline Weights tiny_weights(uint64_t seed) {
  Weights weights(tiny_config());
  Rng rng(seed);
  for (float& v : weights.data()) v = static_cast<float>(0.4 * rng.normal());
  return weights;
}

}  // namespace tlm::lm
