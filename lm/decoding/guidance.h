// Guidance: a choice is preferred for being more probable among the best programs than among all, not for being frequent.
//
//   score = log p(choice | best) + weight * (log p(choice | best) - log p(choice))
//
// p(choice | best) alone follows what was measured most: it is high where the programs that a model learned from chose so often.
// The difference is, by Bayes, how much a choice raises the odds of a best program. Both are the same model's, asked with the
// quality said and unsaid (classifier-free guidance: Ho and Salimans, 2022). Where both are tiny their ratio means little:
// a choice less than a tenth as probable as the most probable one gains nothing by it (as in contrastive decoding: Li et al.,
// 2023).
#pragma once

#include <vector>

namespace tlm::lm {

inline constexpr double kGuidance = 0;          // the weight where none is given: no guidance (docs/decoding.md)
inline constexpr double kLeastPlausible = 0.1;  // of the most probable choice

// From log p(choice | best) to the normalized score. `log_all`: log p(choice), parallel to it.
void guide(std::vector<double>& log_best, const std::vector<double>& log_all, double weight);

}  // namespace tlm::lm
