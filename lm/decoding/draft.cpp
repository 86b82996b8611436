#include "tlm/lm/decoding/draft.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/lm/decoding/token_filter.h"

namespace tlm::lm {
namespace {

void take(Draft& draft, space::Token token, const LanguageModel& model) {
  draft.grammar.advance(token);
  draft.tokens.push_back(token);
  draft.unread.push_back(model.prompt_id(token));
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
      const space::DecisionKind kind = draft.grammar.walk().decision().kind;
      const std::vector<space::Token> spelling = draft.grammar.spelling(draft.grammar.walk().constructive());
      for (const space::Token t : spelling) take(draft, t, model);
      draft.defaults.push_back(kind);
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

void read_logits(Draft& draft, std::span<const float> logits, const LanguageModel& model) {
  draft.log_probabilities.clear();
  for (const space::Token t : draft.allowed) draft.log_probabilities.push_back(logits[static_cast<size_t>(model.id_of(t))]);
  normalize(draft.log_probabilities);
}

}  // namespace tlm::lm
