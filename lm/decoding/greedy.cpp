// Greedy: the most probable token at every choice; of near ties the lowest id.
#include "tlm/lm/decoding/near_tie.h"
#include "tlm/lm/decoding/strategy.h"

namespace tlm::lm {
namespace {

class Greedy : public Strategy {
 public:
  int width() const override { return 1; }
  std::vector<Continuation> next(const Turn&, std::span<const Hypothesis> hypotheses) const override {
    const std::span<const double> p = hypotheses[0].log_probabilities;
    size_t best = 0;
    for (size_t i = 1; i < p.size(); ++i)
      if (p[i] > p[best]) best = i;
    for (size_t i = 0; i < best; ++i)
      if (p[i] > p[best] - kNearTie) best = i;
    return {{.parent = 0, .choice = static_cast<int>(best)}};
  }
};

}  // namespace

StrategyInfo greedy_strategy() {
  return {"greedy", "none", "the most probable token at every choice",
          [](Parameters&, const StrategyTable&) -> std::unique_ptr<Strategy> { return std::make_unique<Greedy>(); }};
}

}  // namespace tlm::lm
