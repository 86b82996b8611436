// Beam search: the n most probable sentences up to each choice go on; finished ones keep their place among them.
#include <algorithm>
#include <tuple>

#include "tlm/lm/decoding/near_tie.h"
#include "tlm/lm/decoding/strategy.h"

namespace tlm::lm {
namespace {

// Most probable first. Those within a near tie of the best that is left follow it in the order in which they are named: by rank
// so far, then by token.
void order(std::vector<Continuation>& all) {
  std::sort(all.begin(), all.end(), [](const Continuation& a, const Continuation& b) {
    return std::tuple(-a.score, a.parent, a.choice) < std::tuple(-b.score, b.parent, b.choice);
  });
  for (auto first = all.begin(); first != all.end();) {
    const double lowest = first->score - kNearTie;
    const auto end = std::find_if(first + 1, all.end(), [&](const Continuation& c) { return c.score <= lowest; });
    std::sort(first, end, [](const Continuation& a, const Continuation& b) {
      return std::tie(a.parent, a.choice) < std::tie(b.parent, b.choice);
    });
    first = end;
  }
}

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
    order(all);
    all.resize(std::min(all.size(), static_cast<size_t>(n_)));
    return all;
  }
  // They come in the order of the last choice.
  void rank(std::vector<Sentence>&, const RankContext&) const override {}

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
