#include "tlm/tools/eval/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"

namespace tlm::eval::test {
namespace {

TEST(Statistics, GeometricMean) {
  EXPECT_DOUBLE_EQ(geometric_mean({2, 8}), 4);
  EXPECT_DOUBLE_EQ(geometric_mean({0.5}), 0.5);
  EXPECT_EQ(geometric_mean({}), 0);
  EXPECT_THROW(geometric_mean({1, 0}), InternalError);
}

TEST(Statistics, PairedRatios) {
  EXPECT_EQ(paired_ratios({1, 3}, {2, 1}), (std::vector<double>{0.5, 3}));
  EXPECT_THROW(paired_ratios({1}, {1, 2}), InternalError);
}

std::vector<std::string> own_clusters(size_t n) {
  std::vector<std::string> names;
  for (size_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
  return names;
}

// Beside the normal approximation: ± 1.96 σ / √n of the logarithms.
TEST(Statistics, BootstrapOfIndependentValues) {
  Rng rng(3);
  std::vector<double> values;
  double sum = 0, squares = 0;
  for (int i = 0; i < 200; ++i) {
    const double x = 0.1 * rng.normal() - 0.05;
    values.push_back(std::exp(x));
    sum += x, squares += x * x;
  }
  const double mean = sum / 200, half = 1.96 * std::sqrt((squares / 200 - mean * mean) / 200);
  const Interval i = bootstrap_mean(values, own_clusters(200));
  EXPECT_NEAR(std::log(i.mean), mean, 1e-12);
  EXPECT_NEAR(std::log(i.low), mean - half, 0.15 * half);
  EXPECT_NEAR(std::log(i.high), mean + half, 0.15 * half);
  const Interval again = bootstrap_mean(values, own_clusters(200)), other = bootstrap_mean(values, own_clusters(200), 2);
  EXPECT_EQ(i.low, again.low);
  EXPECT_EQ(i.high, again.high);
  EXPECT_NE(i.low, other.low);
}

// Copies of a value bring nothing new: an interval over clusters is as wide as one over the clusters' values.
TEST(Statistics, BootstrapOfClusters) {
  std::vector<double> few, many;
  std::vector<std::string> names;
  for (int c = 0; c < 8; ++c) {
    const double value = std::exp(0.05 * c);
    few.push_back(value);
    for (int i = 0; i < 25; ++i) {
      many.push_back(value);
      names.push_back("network " + std::to_string(c));
    }
  }
  const Interval a = bootstrap_mean(few, own_clusters(8)), clustered = bootstrap_mean(many, names),
                 naive = bootstrap_mean(many, own_clusters(200));
  EXPECT_NEAR(std::log(clustered.high / clustered.low), std::log(a.high / a.low), 1e-9);
  EXPECT_LT(std::log(naive.high / naive.low), 0.4 * std::log(clustered.high / clustered.low));
}

TEST(Statistics, OneClusterSaysNothingOfOthers) {
  const Interval i = bootstrap_mean({1, 2, 4}, {"a", "a", "a"});
  EXPECT_DOUBLE_EQ(i.mean, 2);
  EXPECT_EQ(i.low, i.mean);
  EXPECT_EQ(i.high, i.mean);
}

}  // namespace
}  // namespace tlm::eval::test
