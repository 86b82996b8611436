// Words that follow one another: counts of the last words of a sentence, with stupid backoff (Brants et al., "Large language
// models in machine translation", 2007) and the mask of the grammar.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "tlm/core/hash.h"
#include "tlm/core/rng.h"
#include "tlm/lm/parallel.h"
#include "tlm/space/language/grammar.h"
#include "tlm/space/language/sentence.h"
#include "tlm/tools/eval/rivals/rivals.h"

namespace tlm::eval {
namespace {

using space::Schedule;
using space::Token;

constexpr double kGood = 0.1;      // sentences learned from: at most so much slower than the workload's best, as a logarithm
constexpr size_t kMostOfOne = 16;  // … and no more of a workload

class Ngram : public space::Scheduler {
 public:
  Ngram(const std::vector<TrainingWorkload>& training, int schedules, uint64_t seed, int order, Executor& executor)
      : schedules_(schedules), seed_(seed), order_(order) {
    std::vector<std::vector<std::vector<Token>>> sentences(training.size());
    lm::parallel_for(executor, static_cast<int64_t>(training.size()), [&](int64_t i, int) {
      sentences[static_cast<size_t>(i)] = good_sentences(training[static_cast<size_t>(i)]);
    });
    for (const auto& of_workload : sentences)
      for (const std::vector<Token>& s : of_workload) count(s);
  }
  std::string name() const override { return "n-gram"; }

  std::vector<std::vector<Schedule>> schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) override {
    std::vector<std::vector<Schedule>> out;
    for (const auto& space : spaces) out.push_back(answer(*space));
    return out;
  }

 private:
  static std::vector<std::vector<Token>> good_sentences(const TrainingWorkload& w) {
    std::vector<std::vector<Token>> out;
    const auto space = space::Space::build(w.subgraph, w.target);
    for (const TrainingProgram& p : w.programs) {
      if (p.slow || p.log_ratio < w.programs[0].log_ratio - kGood || out.size() >= kMostOfOne) break;
      const Result<space::Walk> walk = space->replay(space::parse_schedule(p.schedule));
      if (walk) out.push_back(space::decision_tokens(*walk));
    }
    return out;
  }

  // Of the `length` words before `end`; a sentence begins with nothing before it.
  static uint64_t context(const std::vector<Token>& words, size_t end, size_t length) {
    Hasher h;
    h.number(static_cast<int64_t>(length));
    for (size_t i = end - length; i < end; ++i) h.number(words[i]);
    return h.value();
  }

  void count(const std::vector<Token>& sentence) {
    for (size_t i = 0; i < sentence.size(); ++i)
      for (size_t length = 0; length < static_cast<size_t>(order_) && length <= i; ++length)
        counts_[context(sentence, i, length)][sentence[i]] += 1;
  }

  // Of each allowed word; their sum is 1.
  std::vector<double> probabilities(const std::vector<Token>& words, const std::vector<Token>& allowed) const {
    constexpr double kBackoff = 0.4, kNever = 1e-9;
    std::vector<double> score(allowed.size(), 0);
    double weight = 1;
    for (size_t length = std::min(words.size(), static_cast<size_t>(order_ - 1)) + 1; length-- > 0; weight *= kBackoff) {
      const auto at = counts_.find(context(words, words.size(), length));
      if (at == counts_.end()) continue;
      double total = 0;
      for (const auto& [token, n] : at->second) total += n;
      for (size_t i = 0; i < allowed.size(); ++i) {
        const auto n = at->second.find(allowed[i]);
        if (score[i] == 0 && n != at->second.end()) score[i] = weight * n->second / total;
      }
    }
    double sum = 0;
    for (double& s : score) sum += s = std::max(s, kNever);
    for (double& s : score) s /= sum;
    return score;
  }

  // rng null: the most probable word each time, the lowest of equals.
  Schedule write(const space::Space& space, Rng* rng) const {
    space::Grammar grammar(space.walk());
    std::vector<Token> words;
    while (!grammar.done()) {
      const std::vector<Token> allowed = grammar.allowed();
      size_t taken = 0;
      if (allowed.size() > 1) {
        const std::vector<double> p = probabilities(words, allowed);
        if (rng) {
          double left = rng->uniform();
          while (taken + 1 < p.size() && (left -= p[taken]) >= 0) ++taken;
        } else {
          taken = static_cast<size_t>(std::max_element(p.begin(), p.end()) - p.begin());
        }
      }
      words.push_back(allowed[taken]);
      grammar.advance(allowed[taken]);
    }
    return grammar.walk().schedule();
  }

  std::vector<Schedule> answer(const space::Space& space) const {
    std::vector<Schedule> out = {write(space, nullptr)};
    Rng rng(Hasher()
                .text("n-gram")
                .number(static_cast<int64_t>(seed_))
                .number(static_cast<int64_t>(ir::workload_hash(space.subgraph())))
                .value());
    for (int i = 0; i < 4 * schedules_ && static_cast<int>(out.size()) < schedules_; ++i) {
      Schedule s = write(space, &rng);
      if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(std::move(s));
    }
    return out;
  }

  int schedules_;
  uint64_t seed_;
  int order_;
  std::unordered_map<uint64_t, std::unordered_map<Token, double>> counts_;  // by context, the next word
};

}  // namespace

std::unique_ptr<space::Scheduler> make_ngram_rival(TrainingSet training, int schedules, uint64_t seed, int order,
                                                   Executor& executor) {
  return std::make_unique<Ngram>(*training, schedules, seed, order, executor);
}

}  // namespace tlm::eval
