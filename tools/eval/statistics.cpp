#include "tlm/tools/eval/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"

namespace tlm::eval {

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double v : values) {
    TLM_CHECK(v > 0) << v;
    sum += std::log(v);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

Interval bootstrap_mean(const std::vector<double>& values, const std::vector<std::string>& clusters, uint64_t seed, int draws) {
  TLM_CHECK(values.size() == clusters.size() && draws > 0);
  Interval interval;
  interval.mean = interval.low = interval.high = geometric_mean(values);
  struct Cluster {
    double sum = 0, count = 0;
  };
  std::map<std::string, Cluster> by_name;
  for (size_t i = 0; i < values.size(); ++i) {
    by_name[clusters[i]].sum += std::log(values[i]);
    by_name[clusters[i]].count += 1;
  }
  if (by_name.size() < 2) return interval;
  std::vector<Cluster> all;
  for (const auto& [name, cluster] : by_name) all.push_back(cluster);
  Rng rng(seed);
  std::vector<double> means;
  for (int d = 0; d < draws; ++d) {
    Cluster drawn;
    for (size_t i = 0; i < all.size(); ++i) {
      const Cluster& c = all[rng.below(all.size())];
      drawn.sum += c.sum;
      drawn.count += c.count;
    }
    means.push_back(drawn.sum / drawn.count);
  }
  std::sort(means.begin(), means.end());
  const auto at = [&](double share) {
    return std::exp(means[static_cast<size_t>(std::lround(share * static_cast<double>(means.size() - 1)))]);
  };
  interval.low = at(0.025);
  interval.high = at(0.975);
  return interval;
}

std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  TLM_CHECK(a.size() == b.size());
  std::vector<double> out;
  for (size_t i = 0; i < a.size(); ++i) {
    TLM_CHECK(a[i] > 0 && b[i] > 0);
    out.push_back(a[i] / b[i]);
  }
  return out;
}

}  // namespace tlm::eval
