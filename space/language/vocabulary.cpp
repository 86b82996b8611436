#include "tlm/space/language/vocabulary.h"

#include "tlm/core/dtype.h"
#include "tlm/core/error.h"
#include "tlm/space/decision.h"
#include "tlm/space/language/number_alphabet.h"
#include "tlm/space/rules/algorithm.h"

namespace tlm::space {
namespace {

constexpr const char* kWords[] = {
    // structure of a sentence; `unknown` stands for a hardware number that is withheld
    "<pad>", "<target>", "<subgraph>", "<stage>", "<load>", "<store>", "<quality>", "<schedule>", "<end>", "unknown",
    // hardware
    "cpu", "gpu", "vector", "registers", "fma", "no-fma", "l1", "l2", "l3", "cores", "fast", "strict", "sm", "processors", "shared",
    // axes of a stage
    "spatial", "reduce", "scan", "same", "exclusive",
    // combiners
    "map", "sum", "prod", "max", "min", "any", "all", "tuple", "ordered",
    // arithmetic of a body
    "ops", "special", "select",
    // tensors and accesses
    "input", "constant", "internal", "output", "identity", "gather", "guarded",
    // choices
    "none", "root", "inline", "epilogue", "peeled", "balanced", "shifted", "rows", "panels"};

}  // namespace

Vocabulary::Vocabulary() {
  const auto add = [this](std::string word) {
    const bool fresh = ids_.emplace(word, static_cast<Token>(words_.size())).second;
    TLM_CHECK(fresh) << "word '" << word << "' twice";
    words_.push_back(std::move(word));
  };
  for (const char* word : kWords) add(word);
  for (int t = 0; t <= static_cast<int>(DType::kBool); ++t) add(std::string(dtype_name(static_cast<DType>(t))));
#define X(name, text) add(std::string("@") + text);
  TLM_DECISION_KINDS(X)
#undef X
  for (int64_t a = 0; a <= static_cast<int64_t>(algorithm_rules().size()); ++a) add(algorithm_name(a));
  for (std::string& word : number_words()) add(std::move(word));
  for (std::string& word : axis_words()) add(std::move(word));
}

const Vocabulary& Vocabulary::standard() {
  static const Vocabulary vocabulary;
  return vocabulary;
}

const std::string& Vocabulary::word(Token t) const {
  TLM_CHECK(t >= 0 && t < size()) << "token " << t;
  return words_[static_cast<size_t>(t)];
}

Token Vocabulary::find(std::string_view word) const {
  const auto it = ids_.find(std::string(word));
  return it == ids_.end() ? -1 : it->second;
}

Token Vocabulary::token(std::string_view word) const {
  const Token t = find(word);
  TLM_CHECK(t >= 0) << "no word '" << word << "'";
  return t;
}

std::string to_text(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token t : tokens) text += (text.empty() ? "" : " ") + Vocabulary::standard().word(t);
  return text;
}

std::vector<Token> from_text(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(" \n\t", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    const Token t = Vocabulary::standard().find(word);
    if (t < 0)
      throw Error(ErrorCode::kUsage, "'" + std::string(word) + "' is no word of the tensor language",
                  "word " + std::to_string(tokens.size() + 1));
    tokens.push_back(t);
  }
  return tokens;
}

}  // namespace tlm::space
