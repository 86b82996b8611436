#include "tlm/lm/decoding/draft.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/lm/decoding/guidance.h"
#include "tlm/lm/decoding/token_filter.h"

namespace tlm::lm {
namespace {

void take(Draft& draft, space::Token token, const LanguageModel& model) {
  draft.grammar.advance(token);
  draft.tokens.push_back(token);
  for (View& v : draft.views) v.unread.push_back(model.prompt_id(token));
}

bool knows_decision(const space::Grammar& grammar, const LanguageModel& model) {
  if (model.knows_all_words()) return true;
  const std::vector<space::Token> words = grammar.words();
  return std::all_of(words.begin(), words.end(), [&](space::Token t) { return model.id_of(t) >= 0; });
}

}  // namespace

void advance_to_choice(Draft& draft, const LanguageModel& model) {
  draft.allowed.clear();
  while (!draft.grammar.done()) {
    if (draft.grammar.at_decision() && !knows_decision(draft.grammar, model)) {
      const std::vector<space::Token> spelling = draft.grammar.spelling(draft.grammar.walk().constructive());
      for (const space::Token t : spelling) take(draft, t, model);
      ++draft.defaults;
    } else if (draft.grammar.forced()) {
      take(draft, draft.grammar.forced_token(), model);
    } else {
      draft.allowed = draft.grammar.allowed();
      return;
    }
  }
}

void take_choice(Draft& draft, int choice, const LanguageModel& model) {
  const auto at = static_cast<size_t>(choice);
  TLM_CHECK(at < draft.allowed.size()) << "choice " << choice << " of " << draft.allowed.size();
  const space::Token token = draft.allowed[at];
  draft.log_probability += draft.log_probabilities[at];
  draft.path = Hasher().number(static_cast<int64_t>(draft.path)).number(token).value();
  take(draft, token, model);
  advance_to_choice(draft, model);
}

void read_logits(Draft& draft, std::span<const std::span<const float>> logits, double guidance, const LanguageModel& model) {
  const auto probabilities = [&](std::span<const float> of) {
    std::vector<double> log_p;
    for (const space::Token t : draft.allowed) log_p.push_back(of[static_cast<size_t>(model.id_of(t))]);
    normalize(log_p);
    return log_p;
  };
  std::vector<double>& log_p = draft.log_probabilities;
  log_p = probabilities(logits[0]);
  if (logits.size() == 1) return;
  guide(log_p, probabilities(logits[1]), guidance);
}

}  // namespace tlm::lm
