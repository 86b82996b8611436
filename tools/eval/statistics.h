// Figures over workloads, with how far they can be trusted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tlm::eval {

double geometric_mean(const std::vector<double>& values);  // of positive values; 0 of none

struct Interval {
  double mean = 0;           // geometric
  double low = 0, high = 0;  // the middle 95 % of the means of resampled values; of one cluster without others: the mean itself
};

// Bootstrap (Efron 1979) of the geometric mean. Values of one cluster depend on one another: whole clusters are drawn, with
// replacement, as many as there are. `clusters` is parallel to `values`. The same for a seed everywhere.
Interval bootstrap_mean(const std::vector<double>& values, const std::vector<std::string>& clusters, uint64_t seed = 1,
                        int draws = 4000);

// a[i] / b[i]: what compares two contenders on the same workloads.
std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tlm::eval
