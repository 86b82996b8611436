// A complete schedule as numbers that a regression can learn from. They follow from loops, accesses and the target alone.
#pragma once

#include <string>
#include <vector>

#include "tlm/space/space.h"

namespace tlm::space {

// First the nest in which the machine model spends most time, then all nests together (sums, or maxima), then the subgraph and
// the target. Quantities are log2(1 + x), shares lie in [0, 1].
struct Features {
  std::vector<float> values;  // parallel to feature_names()
  double model_cycles = 0;    // of all nests, by the machine model
};

const std::vector<std::string>& feature_names();
// `w` is complete.
Features features(const Walk& w);
// What the cost model is fed: the features, those of all nests as differences to the same workload's `anchor`, so that what is
// learned of one workload says something about others.
std::vector<float> feature_row(const Features& f, const Features& anchor);

}  // namespace tlm::space
