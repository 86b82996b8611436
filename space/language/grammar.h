// Which tokens may come next: the mask of a decoder. What it lets through is a legal schedule.
#pragma once

#include <memory>
#include <vector>

#include "tlm/space/language/vocabulary.h"
#include "tlm/space/space.h"

namespace tlm::space {

// Walks the decision part of a sentence, from the first decision to <end>. Cheap to copy (beams).
class Grammar {
 public:
  explicit Grammar(Walk walk);
  bool done() const { return done_; }                // <end> has been read
  std::vector<Token> allowed() const;                // ascending, never empty before the end
  bool forced() const;                               // exactly one token is allowed
  Token forced_token() const;                        // TLM_CHECKs forced()
  void advance(Token token);                         // TLM_CHECKs that it is allowed
  bool allows(Token token) const;
  const Walk& walk() const { return walk_; }         // decisions completed so far
  // At the first token of a decision (of walk()): words of it and of its candidates, and the tokens of one candidate.
  bool at_decision() const { return depth_ == 0 && !walk_.done(); }
  std::vector<Token> words() const;                  // ascending, each once
  const std::vector<Token>& spelling(int candidate) const;

 private:
  struct Codes;                                      // the current decision's candidates as tokens, sorted
  void begin_decision();

  Walk walk_;
  std::shared_ptr<const Codes> codes_;
  size_t low_ = 0, high_ = 0;                        // codes that begin with what has been read
  size_t depth_ = 0;                                 // tokens of the decision read so far
  bool done_ = false;
};

}  // namespace tlm::space
