// The learned cost model on functions that are known.
#include "tlm/space/search/cost_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tlm::space::test {
namespace {

using Rows = std::vector<std::vector<float>>;

struct Data {
  Rows rows;
  std::vector<float> labels;
};

// Few of the features matter; steps, a product and a minimum, as in caches and registers.
float latency(const std::vector<float>& x) {
  return (x[0] > 0.6f ? 1.5f : 0) + 2 * x[1] * x[2] + std::min(x[3], 0.5f) + (x[4] > x[5] ? 0.7f : 0);
}

Data draw(size_t count, size_t width, uint64_t seed, double noise) {
  Rng rng(seed);
  Data d;
  for (size_t i = 0; i < count; ++i) {
    std::vector<float> row;
    for (size_t f = 0; f < width; ++f) row.push_back(static_cast<float>(rng.uniform()));
    d.labels.push_back(latency(row) + static_cast<float>(noise * rng.normal()));
    d.rows.push_back(std::move(row));
  }
  return d;
}

std::vector<double> ranks(const std::vector<double>& v) {
  std::vector<size_t> order(v.size());
  for (size_t i = 0; i < v.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return v[a] < v[b]; });
  std::vector<double> r(v.size());
  for (size_t i = 0; i < order.size(); ++i) r[order[i]] = static_cast<double>(i);
  return r;
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double n = static_cast<double>(a.size());
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return 1 - 6 * sum / (n * (n * n - 1));
}

double rank_correlation(const CostModel& model, const Data& test) {
  std::vector<double> predicted, true_values;
  for (size_t i = 0; i < test.rows.size(); ++i) {
    predicted.push_back(model.predict(test.rows[i]));
    true_values.push_back(test.labels[i]);
  }
  return spearman(predicted, true_values);
}

TEST(CostModel, LearnsWhatItHasNotSeen) {
  const Data test = draw(500, 100, 2, 0);
  CostModel model;
  const Data few = draw(150, 100, 1, 0.05), many = draw(2000, 100, 1, 0.05);
  model.fit(few.rows, few.labels);
  const double from_few = rank_correlation(model, test);
  model.fit(many.rows, many.labels);
  const double from_many = rank_correlation(model, test);
  std::printf("rank correlation: %.3f of 150 rows, %.3f of 2000\n", from_few, from_many);
  EXPECT_GT(from_few, 0.6);
  EXPECT_GT(from_many, 0.9);
  EXPECT_GT(from_many, from_few);
}

TEST(CostModel, SameDataSameModel) {
  const Data d = draw(400, 30, 4, 0.1), test = draw(50, 30, 5, 0);
  CostModel a, b;
  a.fit(draw(100, 30, 9, 0).rows, draw(100, 30, 9, 0).labels);  // what was before leaves no trace
  a.fit(d.rows, d.labels);
  b.fit(d.rows, d.labels);
  for (const auto& row : test.rows) EXPECT_EQ(a.predict(row), b.predict(row));
  CostModel::Options other;
  other.seed = 1;
  CostModel c(other);
  c.fit(d.rows, d.labels);
  EXPECT_NE(a.predict(test.rows[0]), c.predict(test.rows[0]));
}

TEST(CostModel, FewRowsAndFlatOnes) {
  CostModel model;
  model.fit({}, {});
  EXPECT_FALSE(model.fitted());
  model.fit({{1, 2}}, {3});
  EXPECT_TRUE(model.fitted());
  EXPECT_FLOAT_EQ(static_cast<float>(model.predict({5, 5})), 3);
  model.fit({{1, 1}, {1, 1}, {1, 1}, {1, 1}}, {0, 1, 2, 3});  // nothing to tell them apart
  EXPECT_FLOAT_EQ(static_cast<float>(model.predict({1, 1})), 1.5f);
  Rows rows;
  std::vector<float> labels;
  for (int i = 0; i < 40; ++i) rows.push_back({static_cast<float>(i % 2), 7}), labels.push_back(static_cast<float>(i % 2));
  model.fit(rows, labels);
  EXPECT_LT(model.predict({0, 7}), 0.1);
  EXPECT_GT(model.predict({1, 7}), 0.9);
}

TEST(CostModel, IsFittedBetweenBatches) {
  const Data d = draw(3000, 106, 1, 0.1);
  CostModel model;
  double best = 1e9;  // of several: the machine may be busy
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    model.fit(d.rows, d.labels);
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("3000 rows of 106 features: %.1f ms\n", best);
  EXPECT_LT(best, 500);  // 50 on a quiet machine; sanitizers and neighbours take their share
}

}  // namespace
}  // namespace tlm::space::test
