// Temperature, top-k, top-p and min-p: which tokens a sampler may draw, and how probable each is to it. They compose, in this
// order.
#pragma once

#include <span>
#include <vector>

#include "tlm/lm/decoding/parameters.h"

namespace tlm::lm {

struct TokenFilter {
  double temperature = 1;  // log-probabilities are divided by it
  int top_k = 0;           // the k most probable; 0: all
  double top_p = 1;        // the fewest of the most probable ones whose probabilities sum to p
  double min_p = 0;        // those at least this part as probable as the most probable one

  static TokenFilter from(Parameters& parameters);
  // Log-probabilities of the tokens after filtering; -infinity: not to be drawn. At least one can be. Of equally probable tokens
  // the first counts as the more probable.
  std::vector<double> operator()(std::span<const double> log_probabilities) const;
};

// What a strategy tells of its parameters that draws n sentences through a filter.
inline constexpr const char* kDrawParameters = "n=10, temperature=1, top-k=0 (all), top-p=1, min-p=0";

// Shifts log-probabilities so that the probabilities sum to 1; -infinity stays. One at least is finite.
void normalize(std::vector<double>& log_probabilities);

}  // namespace tlm::lm
