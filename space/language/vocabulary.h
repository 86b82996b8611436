// The tokens of the tensor language. Closed: every sentence about any subgraph, schedule and target is written with these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tlm::space {

using Token = int32_t;

// Bumped by hand when a prompt or a decision is spelled otherwise with words that there were before: a model that learned the old
// spelling would misread the new one. (New words alone need no new version.) 2: facts in sentences. 3: work before
// @parallel's choice. 4: facts of @algorithm and @attach; consequences before choices. 5: panels of @micro. 6: consequences of @algorithm.
inline constexpr int kLanguageVersion = 6;

class Vocabulary {
 public:
  // All words: structure, hardware, types, combiners, decisions, axes, and the alphabet of numbers. Built once from the tables below
  // and TLM_DECISION_KINDS, in a fixed order; a checkpoint stores the words and is mapped by them.
  static const Vocabulary& standard();

  int size() const { return static_cast<int>(words_.size()); }
  const std::string& word(Token t) const;           // TLM_CHECKs the range
  Token find(std::string_view word) const;          // -1: no such word
  Token token(std::string_view word) const;         // TLM_CHECKs that there is one

 private:
  Vocabulary();
  std::vector<std::string> words_;
  std::unordered_map<std::string, Token> ids_;
};

// Words separated by spaces. from_text throws Error(kUsage) naming the unknown word and its position.
std::string to_text(const std::vector<Token>& tokens);
std::vector<Token> from_text(std::string_view text);

}  // namespace tlm::space
