// Gumbel top-k: n different sentences, drawn without replacement as if they were drawn one after the other. Stochastic beam
// search: Kool, van Hoof, Welling, "Stochastic Beams and Where to Find Them", 2019, algorithm 1.
//
// Each sentence's log-probability is perturbed by Gumbel noise; the n largest are the sample. The noise of a whole sentence is
// not drawn: a prefix carries the largest perturbed value of all sentences that begin with it (score), and its continuations draw
// theirs under the condition that the largest of them is that.
#include <algorithm>
#include <cmath>

#include "tlm/lm/decoding/strategy.h"
#include "tlm/lm/decoding/token_filter.h"

namespace tlm::lm {
namespace {

// Moves a value drawn around its location, of a group whose largest is `largest`, to what it is where the largest is `wanted`.
// -log(e^-wanted - e^-largest + e^-value), written so that nothing overflows (appendix B.3 of the paper).
double conditioned(double value, double largest, double wanted) {
  if (value == largest) return wanted;
  const double v = wanted - value + std::log1p(-std::exp(value - largest));
  return wanted - std::max(0.0, v) - std::log1p(std::exp(-std::abs(v)));
}

class Gumbel : public Strategy {
 public:
  Gumbel(TokenFilter filter, int n) : filter_(filter), n_(n) {}

  int width() const override { return n_; }
  std::vector<Continuation> next(const Turn& turn, std::span<const Hypothesis> hypotheses) const override {
    std::vector<Continuation> all;
    for (size_t i = 0; i < hypotheses.size(); ++i) {
      const Hypothesis& h = hypotheses[i];
      const int parent = static_cast<int>(i);
      if (h.done()) {
        all.push_back({.parent = parent, .score = h.score, .log_weight = h.log_weight});
        continue;
      }
      const std::vector<double> p = filter_(h.log_probabilities);
      const size_t first = all.size();
      double largest = -INFINITY;
      for (size_t c = 0; c < p.size(); ++c) {
        if (p[c] == -INFINITY) continue;
        const double weight = h.log_weight + p[c];
        const double noise = -std::log(-std::log(turn.uniform(h.path, static_cast<uint64_t>(h.allowed[c]))));
        largest = std::max(largest, weight + noise);
        all.push_back({.parent = parent, .choice = static_cast<int>(c), .score = weight + noise, .log_weight = weight});
      }
      for (size_t k = first; k < all.size(); ++k) all[k].score = conditioned(all[k].score, largest, h.score);
    }
    const size_t kept = std::min(all.size(), static_cast<size_t>(n_));
    std::stable_sort(all.begin(), all.end(), [](const Continuation& a, const Continuation& b) { return a.score > b.score; });
    all.resize(kept);
    return all;
  }

 private:
  TokenFilter filter_;
  int n_;
};

}  // namespace

StrategyInfo gumbel_strategy() {
  return {"gumbel", kDrawParameters, "n different sentences drawn without replacement",
          [](Parameters& p, const StrategyTable&) -> std::unique_ptr<Strategy> {
            return std::make_unique<Gumbel>(TokenFilter::from(p), p.sentences("n", 10));
          }};
}

}  // namespace tlm::lm
