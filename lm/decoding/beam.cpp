// Beam search: the n most probable sentences up to each choice go on; finished ones keep their place among them.
#include <algorithm>

#include "tlm/lm/decoding/strategy.h"

namespace tlm::lm {
namespace {

class Beam : public Strategy {
 public:
  explicit Beam(int n) : n_(n) {}

  int width() const override { return n_; }
  std::vector<Continuation> next(const Turn&, std::span<const Hypothesis> hypotheses) const override {
    std::vector<Continuation> all;
    for (size_t i = 0; i < hypotheses.size(); ++i) {
      const Hypothesis& h = hypotheses[i];
      const int parent = static_cast<int>(i);
      if (h.done()) all.push_back({.parent = parent, .score = h.log_probability});
      for (size_t c = 0; c < h.allowed.size(); ++c)
        all.push_back({.parent = parent, .choice = static_cast<int>(c), .score = h.log_probability + h.log_probabilities[c]});
    }
    const size_t kept = std::min(all.size(), static_cast<size_t>(n_));
    std::stable_sort(all.begin(), all.end(), [](const Continuation& a, const Continuation& b) { return a.score > b.score; });
    all.resize(kept);
    return all;
  }

 private:
  int n_;
};

}  // namespace

StrategyInfo beam_strategy() {
  return {"beam", "n=4", "the n most probable sentences after every choice go on",
          [](Parameters& p, const StrategyTable&) -> std::unique_ptr<Strategy> {
            return std::make_unique<Beam>(p.sentences("n", 4));
          }};
}

}  // namespace tlm::lm
