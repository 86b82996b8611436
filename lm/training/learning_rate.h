// How the rate of learning goes over a training: up in a line, then down along a cosine.
#pragma once

#include <cstdint>

namespace tlm::lm {

struct LearningRate {
  double peak = 1e-3;
  double last = 0.05;     // share of the peak in the end
  double warm_up = 0.05;  // share of the steps

  // Of step `step` (from 0) of `steps`. Positive.
  double at(int64_t step, int64_t steps) const;
};

}  // namespace tlm::lm
