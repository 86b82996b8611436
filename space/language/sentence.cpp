#include "tlm/space/language/sentence.h"

#include "tlm/core/error.h"
#include "tlm/space/language/choice_tokens.h"
#include "tlm/space/language/grammar.h"
#include "tlm/space/language/prompt.h"

namespace tlm::space {

std::vector<Token> prompt_tokens(const Space& space) {
  std::vector<Token> tokens = target_tokens(space.target());
  const std::vector<Token> subgraph = subgraph_tokens(space.subgraph());
  tokens.insert(tokens.end(), subgraph.begin(), subgraph.end());
  tokens.push_back(Vocabulary::standard().token("<schedule>"));
  return tokens;
}

std::vector<Token> decision_tokens(const Walk& walk) {
  TLM_CHECK(walk.done());
  std::vector<Token> tokens;
  const auto append = [&](const std::vector<Token>& more) { tokens.insert(tokens.end(), more.begin(), more.end()); };
  Walk again = walk.space().walk();
  for (const int chosen : walk.chosen()) {
    const Decision& d = again.decision();
    append(decision_head(d));
    append(choice_tokens(d, d.candidates[static_cast<size_t>(chosen)], again.consequences(chosen)));
    again.choose(chosen);
  }
  tokens.push_back(Vocabulary::standard().token("<end>"));
  return tokens;
}

Result<Walk> read_decisions(const std::shared_ptr<const Space>& space, const std::vector<Token>& decisions) {
  Grammar grammar(space->walk());
  for (size_t i = 0; i < decisions.size(); ++i) {
    if (grammar.done()) return Reason{"words after <end>: " + to_text({decisions.begin() + static_cast<std::ptrdiff_t>(i), decisions.end()})};
    if (!grammar.allows(decisions[i]))
      return Reason{"word " + std::to_string(i + 1) + " is '" + Vocabulary::standard().word(decisions[i]) +
                    "', allowed: " + to_text(grammar.allowed())};
    grammar.advance(decisions[i]);
  }
  if (!grammar.done()) return Reason{"the sentence ends early; next could be: " + to_text(grammar.allowed())};
  return grammar.walk();
}

std::string sentence_text(const Walk& walk) {
  std::vector<Token> tokens = prompt_tokens(walk.space());
  const std::vector<Token> decisions = decision_tokens(walk);
  tokens.insert(tokens.end(), decisions.begin(), decisions.end());
  std::string text;
  for (const Token t : tokens) {
    const std::string& word = Vocabulary::standard().word(t);
    const bool line = word[0] == '@' || (word[0] == '<' && word != "<load>" && word != "<store>");
    text += (text.empty() ? "" : line ? "\n" : " ") + word;
  }
  return text;
}

}  // namespace tlm::space
