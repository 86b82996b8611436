#include "tlm/lm/decoding/guidance.h"

#include <algorithm>
#include <cmath>

#include "tlm/lm/decoding/token_filter.h"

namespace tlm::lm {

void guide(std::vector<double>& log_best, const std::vector<double>& log_all, double weight) {
  const double plausible = *std::max_element(log_best.begin(), log_best.end()) + std::log(kLeastPlausible);
  for (size_t i = 0; i < log_best.size(); ++i) {
    const double gain = log_best[i] - log_all[i];
    log_best[i] += weight * (log_best[i] < plausible ? std::min(gain, 0.0) : gain);
  }
  normalize(log_best);
}

}  // namespace tlm::lm
