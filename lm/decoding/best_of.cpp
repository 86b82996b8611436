// Best of n, measured: another strategy writes n sentences, their programs are measured, the fastest comes first.
#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/lm/decoding/strategies.h"

namespace tlm::lm {
namespace {

class BestOf : public Strategy {
 public:
  explicit BestOf(std::unique_ptr<Strategy> inner) : inner_(std::move(inner)) {}

  int width() const override { return inner_->width(); }
  bool measures() const override { return true; }
  std::vector<Continuation> next(const Turn& turn, std::span<const Hypothesis> hypotheses) const override {
    return inner_->next(turn, hypotheses);
  }

  void rank(std::vector<Sentence>& sentences, const RankContext& context) const override {
    TLM_CHECK(context.measurer);
    inner_->rank(sentences, context);
    std::vector<space::Schedule> distinct;
    std::vector<size_t> program;  // of each sentence
    for (const Sentence& s : sentences) {
      space::Schedule schedule = s.walk.schedule();
      const auto at = std::find(distinct.begin(), distinct.end(), schedule);
      program.push_back(static_cast<size_t>(at - distinct.begin()));
      if (at == distinct.end()) distinct.push_back(std::move(schedule));
    }
    const space::Batch batch = context.measurer->measure(context.space, distinct, context.cancel);
    for (size_t i = 0; i < sentences.size(); ++i) sentences[i].measurement = batch.programs.at(program[i]);
    const auto ratio = [](const Sentence& s) { return s.measurement ? s.measurement->ratio : 0; };
    // What has no latency comes last, in the order of the inner strategy.
    std::stable_sort(sentences.begin(), sentences.end(),
                     [&](const Sentence& a, const Sentence& b) { return ratio(a) > ratio(b); });
  }

 private:
  std::unique_ptr<Strategy> inner_;
};

}  // namespace

StrategyInfo best_of_strategy() {
  return {"best-of", "inner=gumbel, then the parameters of that strategy",
          "the fastest of what another strategy writes, measured",
          [](Parameters& p, const StrategyTable& table) -> std::unique_ptr<Strategy> {
            const std::string inner = p.text("inner", "gumbel");
            Parameters rest = p.take_rest();
            auto strategy = std::make_unique<BestOf>(table.make(inner, rest));
            rest.check_all_known();
            return strategy;
          }};
}

}  // namespace tlm::lm
