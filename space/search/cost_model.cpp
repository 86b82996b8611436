#include "tlm/space/search/cost_model.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "tlm/core/error.h"

namespace tlm::space {
namespace {

constexpr size_t kBins = 32;   // values of a quantised feature
constexpr double kShrink = 1;  // rows of the mean that each leaf pretends to hold

// Feature values by bins that hold about as many rows each. Bin b: values in (edges[b - 1], edges[b]].
struct Column {
  std::vector<float> edges;   // all but the last bin's
  std::vector<uint8_t> bins;  // by row
};

Column quantise(const std::vector<std::vector<float>>& rows, size_t feature) {
  std::vector<float> sorted;
  for (const std::vector<float>& row : rows) sorted.push_back(row[feature]);
  std::sort(sorted.begin(), sorted.end());
  std::vector<float> distinct = sorted;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Column c;
  for (size_t b = 1; b < kBins; ++b) {
    const float low = distinct.size() <= kBins ? distinct[std::min(b, distinct.size()) - 1] : sorted[b * sorted.size() / kBins];
    if (low < distinct.back() && (c.edges.empty() || low > c.edges.back())) c.edges.push_back(low);
  }
  for (const std::vector<float>& row : rows) {
    const auto at = std::lower_bound(c.edges.begin(), c.edges.end(), row[feature]);
    c.bins.push_back(static_cast<uint8_t>(at - c.edges.begin()));
  }
  return c;
}

struct Sum {
  double gradient = 0;
  double rows = 0;
  double score() const { return gradient * gradient / (rows + kShrink); }
};

struct Split {
  double gain = 1e-9;
  size_t feature = 0;
  int bin = -1;  // the last on the left; -1: there is none
};

}  // namespace

// Grows trees on the residuals of those before.
class CostModel::Fitter {
 public:
  Fitter(const Options& options, const std::vector<std::vector<float>>& rows, const std::vector<float>& labels, double mean)
      : options_(options), rng_(options.seed) {
    for (size_t f = 0; f < rows[0].size(); ++f) {
      Column c = quantise(rows, f);
      if (c.edges.empty()) continue;  // says nothing
      columns_.push_back(std::move(c));
      names_.push_back(static_cast<int>(f));
    }
    for (float label : labels) residual_.push_back(label - static_cast<float>(mean));
  }

  Tree grow() {
    drawn_.clear();
    for (size_t f = 0; f < columns_.size(); ++f) {
      if (rng_.uniform() < options_.feature_share) drawn_.push_back(f);
    }
    if (drawn_.empty() && !columns_.empty()) drawn_.push_back(rng_.below(columns_.size()));
    rows_.resize(residual_.size());
    std::iota(rows_.begin(), rows_.end(), 0);
    tree_.clear();
    grow_node(0, rows_.size(), options_.depth, histogram(0, rows_.size()));
    return tree_;
  }

 private:
  using Histogram = std::vector<std::array<Sum, kBins>>;  // by drawn feature

  Histogram histogram(size_t begin, size_t end) {
    Histogram h(drawn_.size());
    gathered_.clear();
    for (size_t i = begin; i < end; ++i) gathered_.push_back(residual_[rows_[i]]);
    for (size_t f = 0; f < drawn_.size(); ++f) {
      const uint8_t* bins = columns_[drawn_[f]].bins.data();
      std::array<Sum, kBins>& sums = h[f];
      for (size_t i = begin; i < end; ++i) {
        Sum& s = sums[bins[rows_[i]]];
        s.gradient += gathered_[i - begin];
        s.rows += 1;
      }
    }
    return h;
  }

  Split best_split(const Histogram& h, const Sum& all) const {
    Split best;
    for (size_t f = 0; f < h.size(); ++f) {
      Sum left;
      for (size_t b = 0; b < columns_[drawn_[f]].edges.size(); ++b) {
        left.gradient += h[f][b].gradient;
        left.rows += h[f][b].rows;
        const Sum right{all.gradient - left.gradient, all.rows - left.rows};
        if (left.rows < options_.least_rows || right.rows < options_.least_rows) continue;
        const double gain = left.score() + right.score() - all.score();
        if (gain > best.gain) best = {gain, f, static_cast<int>(b)};
      }
    }
    return best;
  }

  int grow_node(size_t begin, size_t end, int depth, const Histogram& h) {
    const int number = static_cast<int>(tree_.size());
    tree_.emplace_back();
    Sum all;
    for (size_t i = begin; i < end; ++i) all.gradient += residual_[rows_[i]];
    all.rows = static_cast<double>(end - begin);
    const Split split = depth > 0 ? best_split(h, all) : Split();
    if (split.bin < 0) {
      const auto value = static_cast<float>(options_.rate * all.gradient / (all.rows + kShrink));
      tree_[number].value = value;
      for (size_t i = begin; i < end; ++i) residual_[rows_[i]] -= value;
      return number;
    }
    const Column& column = columns_[drawn_[split.feature]];
    const auto on_left = [&](size_t row) { return column.bins[row] <= split.bin; };
    const size_t middle =
        static_cast<size_t>(std::stable_partition(rows_.begin() + begin, rows_.begin() + end, on_left) - rows_.begin());
    tree_[number].feature = names_[drawn_[split.feature]];
    tree_[number].threshold = column.edges[static_cast<size_t>(split.bin)];
    // The smaller side is counted, the other is what remains. Leaves need no histogram.
    const bool left_counted = middle - begin <= end - middle;
    Histogram counted, rest;
    if (depth > 1) {
      counted = left_counted ? histogram(begin, middle) : histogram(middle, end);
      rest = h;
      for (size_t f = 0; f < rest.size(); ++f) {
        for (size_t b = 0; b < kBins; ++b) {
          rest[f][b].gradient -= counted[f][b].gradient;
          rest[f][b].rows -= counted[f][b].rows;
        }
      }
    }
    const int left = grow_node(begin, middle, depth - 1, left_counted ? counted : rest);
    const int right = grow_node(middle, end, depth - 1, left_counted ? rest : counted);
    tree_[number].left = left;
    tree_[number].right = right;
    return number;
  }

  const Options& options_;
  Rng rng_;
  std::vector<Column> columns_;
  std::vector<int> names_;       // numbers of the columns' features
  std::vector<float> residual_;  // by row
  std::vector<size_t> drawn_;    // columns that the present tree may look at
  std::vector<size_t> rows_;     // those of one node lie side by side
  std::vector<float> gathered_;
  Tree tree_;
};

void CostModel::fit(const std::vector<std::vector<float>>& rows, const std::vector<float>& labels) {
  TLM_CHECK(rows.size() == labels.size());
  trees_.clear();
  mean_ = 0;
  rows_ = rows.size();
  if (rows.empty()) return;
  mean_ = std::accumulate(labels.begin(), labels.end(), 0.0) / static_cast<double>(labels.size());
  Fitter fitter(options_, rows, labels, mean_);
  for (int i = 0; i < options_.trees; ++i) trees_.push_back(fitter.grow());
}

double CostModel::output(const Tree& tree, const std::vector<float>& row) {
  int at = 0;
  while (tree[at].feature >= 0)
    at = row[static_cast<size_t>(tree[at].feature)] <= tree[at].threshold ? tree[at].left : tree[at].right;
  return tree[at].value;
}

double CostModel::predict(const std::vector<float>& row) const {
  double sum = mean_;
  for (const Tree& tree : trees_) sum += output(tree, row);
  return sum;
}

}  // namespace tlm::space
