// Quantities as sentences say them: steps of a logarithm, one word each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tlm::space {

inline constexpr int64_t kLastStep = 15;  // the largest number of one word

// How many steps x lies above `base`, `per_octave` of them for each doubling: 0 to kLastStep.
inline int64_t log_steps(double x, double base, int per_octave) {
  if (!(x > base)) return 0;
  return std::min<int64_t>(kLastStep, static_cast<int64_t>(std::floor(per_octave * std::log2(x / base))));
}
// A share of 1 in sixteenths.
inline int64_t sixteenths(double share) { return std::clamp<int64_t>(static_cast<int64_t>(std::floor(16 * share)), 0, kLastStep); }
// Memory in octaves of KB: 0 up to 1 KB, 15 from 16 MB on.
inline int64_t kilobytes(double bytes) { return log_steps(bytes, 512, 1); }

}  // namespace tlm::space
