// A decoding strategy from outside: locally typical sampling (Meister et al., 2023). Of the tokens whose surprise is nearest to
// what is to be expected, the fewest that hold a share `mass` of the probability are drawn from.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tlm/lm/decoding/strategies.h"

namespace {

using namespace tlm::lm;

class Typical : public Strategy {
 public:
  Typical(double mass, int n) : mass_(mass), n_(n) {}

  int width() const override { return n_; }

  std::vector<Continuation> next(const Turn& turn, std::span<const Hypothesis> hypotheses) const override {
    std::vector<Continuation> out;
    for (int i = 0; i < static_cast<int>(hypotheses.size()); ++i) {
      const Hypothesis& h = hypotheses[static_cast<size_t>(i)];
      if (h.done()) {
        out.push_back({.parent = i, .branch = h.branch});  // a finished sentence stays
      } else if (turn.step == 0) {
        for (int branch = 0; branch < n_; ++branch) out.push_back(draw(turn, h, i, branch));  // one prompt becomes n sentences
      } else {
        out.push_back(draw(turn, h, i, h.branch));
      }
    }
    return out;
  }

 private:
  Continuation draw(const Turn& turn, const Hypothesis& h, int parent, int branch) const {
    const auto log_p = h.log_probabilities;
    double entropy = 0;
    for (const double l : log_p) entropy -= std::exp(l) * l;
    std::vector<int> order(log_p.size());
    std::iota(order.begin(), order.end(), 0);
    const auto distance = [&](int token) { return std::abs(-log_p[static_cast<size_t>(token)] - entropy); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return distance(a) < distance(b); });
    const auto p = [&](int token) { return std::exp(log_p[static_cast<size_t>(token)]); };
    size_t kept = 0;
    double sum = 0;
    while (kept < order.size() && (kept == 0 || sum < mass_)) sum += p(order[kept++]);
    double u = turn.uniform(static_cast<uint64_t>(branch)) * sum;  // the same for (seed, workload, step, branch), in every run
    size_t chosen = 0;
    while (chosen + 1 < kept && (u -= p(order[chosen])) >= 0) ++chosen;
    return {.parent = parent, .choice = order[chosen], .branch = branch};
  }

  double mass_;
  int n_;
};

}  // namespace

tlm::lm::StrategyInfo typical_strategy() {
  return {"typical", "n=10, mass=0.9", "n sentences of typical surprise",
          [](Parameters& p, const StrategyTable&) -> std::unique_ptr<Strategy> {
            return std::make_unique<Typical>(p.number("mass", 0.9, 0.01, 1), p.sentences("n", 10));
          }};
}
