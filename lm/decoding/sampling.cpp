// Sampling: n sentences, each token drawn with its probability, independently. Sentences may be alike.
#include <cmath>

#include "tlm/lm/decoding/strategy.h"
#include "tlm/lm/decoding/token_filter.h"

namespace tlm::lm {
namespace {

class Sampling : public Strategy {
 public:
  Sampling(TokenFilter filter, int n) : filter_(filter), n_(n) {}

  int width() const override { return n_; }
  std::vector<Continuation> next(const Turn& turn, std::span<const Hypothesis> hypotheses) const override {
    std::vector<Continuation> out;
    for (size_t i = 0; i < hypotheses.size(); ++i) {
      const Hypothesis& h = hypotheses[i];
      const int parent = static_cast<int>(i);
      if (h.done()) {
        out.push_back({.parent = parent, .branch = h.branch});
        continue;
      }
      const std::vector<double> p = filter_(h.log_probabilities);
      const auto draw = [&](int branch) {
        out.push_back({.parent = parent, .choice = index_at(p, turn.uniform(static_cast<uint64_t>(branch))), .branch = branch});
      };
      if (turn.step > 0) {
        draw(h.branch);
      } else {
        for (int branch = 0; branch < n_; ++branch) draw(branch);
      }
    }
    return out;
  }

 private:
  // Where the sum of the probabilities passes u.
  static int index_at(const std::vector<double>& log_probabilities, double u) {
    int last = 0;
    for (size_t i = 0; i < log_probabilities.size(); ++i) {
      const double p = std::exp(log_probabilities[i]);
      if (p == 0) continue;
      last = static_cast<int>(i);
      if ((u -= p) < 0) break;
    }
    return last;
  }

  TokenFilter filter_;
  int n_;
};

}  // namespace

StrategyInfo sampling_strategy() {
  return {"sampling", kDrawParameters, "n sentences drawn independently; they may be alike",
          [](Parameters& p, const StrategyTable&) -> std::unique_ptr<Strategy> {
            return std::make_unique<Sampling>(TokenFilter::from(p), p.sentences("n", 10));
          }};
}

}  // namespace tlm::lm
