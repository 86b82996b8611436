// Judged: another strategy writes more sentences than are wanted, and the model itself says which are the best: after a
// sentence's end it is asked for the quality that it expects of it. Nothing is measured.
#include <algorithm>
#include <cmath>

#include "tlm/lm/decoding/strategies.h"
#include "tlm/lm/decoding/wrapper.h"

namespace tlm::lm {
namespace {

constexpr int kLeast = 16;   // sentences that are judged
constexpr int kForEach = 4;  // … for each that is wanted

class Judged : public Wrapper {
 public:
  Judged(std::unique_ptr<Strategy> inner, int n) : Wrapper(std::move(inner)), n_(n) {}

  bool judges() const override { return true; }

  void rank(std::vector<Sentence>& sentences, const RankContext& context) const override {
    Wrapper::rank(sentences, context);
    const auto gap = [](const Sentence& s) { return s.verdict.value_or(INFINITY); };
    std::stable_sort(sentences.begin(), sentences.end(), [&](const Sentence& a, const Sentence& b) { return gap(a) < gap(b); });
    if (sentences.size() > static_cast<size_t>(n_)) sentences.erase(sentences.begin() + n_, sentences.end());
  }

 private:
  int n_;
};

}  // namespace

StrategyInfo judged_strategy() {
  return {"judged", "n=1, of=16 or 4n, inner=gumbel, then the parameters of that strategy",
          "of what another strategy writes, the n that the model itself expects to be the fastest",
          [](Parameters& p, const StrategyTable& table) -> std::unique_ptr<Strategy> {
            const int n = p.sentences("n", 1);
            const int of = std::max(n, p.whole("of", std::max(kLeast, kForEach * n), 1, 4096));
            const std::string inner = p.text("inner", "gumbel");
            Parameters rest = p.take_rest();
            rest.want(of);
            auto strategy = std::make_unique<Judged>(table.make(inner, rest), n);
            rest.check_all_known();
            return strategy;
          }};
}

}  // namespace tlm::lm
