#include "tlm/space/language/grammar.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/space/language/choice_tokens.h"

namespace tlm::space {

struct Grammar::Codes {
  struct Code {
    std::vector<Token> tokens;  // of the whole decision: head, then candidate
    int candidate;
  };
  std::vector<Code> sorted;
};

Grammar::Grammar(Walk walk) : walk_(std::move(walk)) { begin_decision(); }

void Grammar::begin_decision() {
  auto codes = std::make_shared<Codes>();
  if (walk_.done()) {
    codes->sorted.push_back({{Vocabulary::standard().token("<end>")}, -1});
  } else {
    const Decision& d = walk_.decision();
    const std::vector<Token> head = decision_head(d);
    for (size_t c = 0; c < d.candidates.size(); ++c) {
      std::vector<Token> tokens = head;
      const std::vector<Token> choice = choice_tokens(d, d.candidates[c], walk_.consequences(static_cast<int>(c)));
      tokens.insert(tokens.end(), choice.begin(), choice.end());
      codes->sorted.push_back({std::move(tokens), static_cast<int>(c)});
    }
    std::sort(codes->sorted.begin(), codes->sorted.end(), [](const auto& a, const auto& b) { return a.tokens < b.tokens; });
  }
  low_ = 0;
  high_ = codes->sorted.size();
  depth_ = 0;
  codes_ = std::move(codes);
}

std::vector<Token> Grammar::allowed() const {
  std::vector<Token> tokens;
  if (done_) return tokens;
  for (size_t i = low_; i < high_; ++i) {
    const Token t = codes_->sorted[i].tokens[depth_];
    if (tokens.empty() || tokens.back() != t) tokens.push_back(t);
  }
  return tokens;
}

bool Grammar::forced() const {
  return !done_ && codes_->sorted[low_].tokens[depth_] == codes_->sorted[high_ - 1].tokens[depth_];
}

Token Grammar::forced_token() const {
  TLM_CHECK(forced());
  return codes_->sorted[low_].tokens[depth_];
}

std::vector<Token> Grammar::words() const {
  TLM_CHECK(at_decision());
  std::vector<bool> seen(static_cast<size_t>(Vocabulary::standard().size()));
  for (const Codes::Code& code : codes_->sorted)
    for (const Token t : code.tokens) seen[static_cast<size_t>(t)] = true;
  std::vector<Token> words;
  for (size_t t = 0; t < seen.size(); ++t)
    if (seen[t]) words.push_back(static_cast<Token>(t));
  return words;
}

const std::vector<Token>& Grammar::spelling(int candidate) const {
  TLM_CHECK(at_decision());
  for (const Codes::Code& code : codes_->sorted)
    if (code.candidate == candidate) return code.tokens;
  TLM_CHECK(false) << "candidate " << candidate;
  return codes_->sorted[0].tokens;
}

bool Grammar::allows(Token token) const {
  if (done_) return false;
  for (size_t i = low_; i < high_; ++i)
    if (codes_->sorted[i].tokens[depth_] == token) return true;
  return false;
}

void Grammar::advance(Token token) {
  TLM_CHECK(allows(token)) << "token " << token << " is not allowed here";
  while (codes_->sorted[low_].tokens[depth_] != token) ++low_;
  size_t high = low_;
  while (high < high_ && codes_->sorted[high].tokens[depth_] == token) ++high;
  high_ = high;
  ++depth_;
  const auto& code = codes_->sorted[low_];
  if (depth_ < code.tokens.size()) return;
  TLM_CHECK(high_ - low_ == 1) << "two candidates are written alike";
  if (code.candidate < 0) {
    done_ = true;
    return;
  }
  walk_.choose(code.candidate);
  begin_decision();
}

}  // namespace tlm::space
