// A learned model of how long schedules take: gradient-boosted regression trees with squared loss (Friedman 2001) on histograms
// of quantised features, small enough to be fitted anew after each batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/core/rng.h"

namespace tlm::space {

class CostModel {
 public:
  struct Options {
    int trees = 60;
    int depth = 5;
    double rate = 0.15;          // what each tree adds
    double feature_share = 0.3;  // of the features, drawn for each tree
    int least_rows = 2;          // in a leaf
    uint64_t seed = 0;
  };

  CostModel() : CostModel(Options()) {}
  explicit CostModel(const Options& options) : options_(options) {}

  // Forgets what was before. `rows` of equal length, `labels` parallel to them. The same data give the same model.
  void fit(const std::vector<std::vector<float>>& rows, const std::vector<float>& labels);
  bool fitted() const { return !trees_.empty(); }
  size_t rows() const { return rows_; }  // that it was fitted to
  double predict(const std::vector<float>& row) const;

 private:
  struct Node {
    int feature = -1;     // -1: a leaf
    float threshold = 0;  // to the left if the value is not greater
    int left = -1, right = -1;
    float value = 0;
  };
  using Tree = std::vector<Node>;
  class Fitter;

  static double output(const Tree& tree, const std::vector<float>& row);

  Options options_;
  size_t rows_ = 0;
  double mean_ = 0;
  std::vector<Tree> trees_;
};

}  // namespace tlm::space
