#include "tlm/lm/training/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tlm/core/error.h"

namespace tlm::lm {

double LearningRate::at(int64_t step, int64_t steps) const {
  TLM_CHECK(step >= 0 && step < steps) << step << " of " << steps;
  const auto rise = std::max(1.0, std::round(warm_up * static_cast<double>(steps)));
  const auto s = static_cast<double>(step);
  if (s < rise) return peak * (s + 1) / rise;
  const double part = (s - rise) / std::max(1.0, static_cast<double>(steps) - rise);
  return peak * (last + (1 - last) * 0.5 * (1 + std::cos(std::numbers::pi * part)));
}

}  // namespace tlm::lm
