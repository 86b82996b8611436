#include "tlm/lm/prompt_form.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tlm/core/error.h"
#include "tlm/space/language/number_alphabet.h"
#include "tlm/space/language/sentence.h"

namespace tlm::lm {
namespace {

using space::Token;
using Blind = PromptForm::Blind;
using Numbers = PromptForm::Numbers;

constexpr std::array<std::pair<Blind, std::string_view>, 4> kBlindNames = {
    {{Blind::kNothing, "nothing"}, {Blind::kExtents, "extents"}, {Blind::kTarget, "target"}, {Blind::kAll, "all"}}};
constexpr std::array<std::pair<Numbers, std::string_view>, 2> kNumbersNames = {
    {{Numbers::kBits, "bits"}, {Numbers::kDecimal, "decimal"}}};

template <typename Names, typename Value>
std::string_view name_of(const Names& names, Value value) {
  for (const auto& [v, name] : names)
    if (v == value) return name;
  TLM_CHECK(false);
  return {};
}

template <typename Names>
auto parse_name(const Names& names, std::string_view text, const char* what) {
  std::string all;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(ErrorCode::kUsage, "no " + std::string(what) + " is called '" + std::string(text) + "'", "",
              "choose one of: " + all);
}

struct Words {
  Token unknown, subgraph, fma, no_fma, axis, minus, zero;
  std::vector<bool> starts_number, of_number;  // by token: begins a number; occurs in one
  Words() {
    const space::Vocabulary& v = space::Vocabulary::standard();
    unknown = v.token("unknown"), subgraph = v.token("<subgraph>"), fma = v.token("fma"), no_fma = v.token("no-fma");
    axis = v.token("axis"), minus = v.token("-"), zero = v.token("z");
    starts_number.resize(static_cast<size_t>(v.size()));
    of_number.resize(static_cast<size_t>(v.size()));
    for (const std::string& word : space::number_words()) {
      const auto t = static_cast<size_t>(v.token(word));
      of_number[t] = true;
      starts_number[t] = word[0] != 'x' && word[0] != 'z';
    }
  }
};

const Words& words() {
  static const Words w;
  return w;
}

void append_decimal(std::vector<Token>& out, int64_t n) {
  if (n < 0) out.push_back(words().minus);
  for (const char digit : std::to_string(n < 0 ? -n : n)) space::append_number(out, digit - '0');
  out.push_back(words().zero);
}

}  // namespace

std::string_view blind_name(Blind blind) { return name_of(kBlindNames, blind); }
std::string_view numbers_name(Numbers numbers) { return name_of(kNumbersNames, numbers); }
Blind parse_blind(std::string_view name) { return parse_name(kBlindNames, name, "blinding"); }
Numbers parse_numbers(std::string_view name) { return parse_name(kNumbersNames, name, "alphabet of numbers"); }

std::vector<Token> with_unknown_target(std::vector<Token> prompt) {
  const Words& w = words();
  std::vector<Token> out;
  size_t at = 0;
  for (; at < prompt.size() && prompt[at] != w.subgraph; ++at) {
    const Token t = prompt[at];
    if (t == w.fma || t == w.no_fma) {
      out.push_back(w.unknown);
    } else if (w.of_number[static_cast<size_t>(t)]) {  // no two numbers stand side by side in a target
      out.push_back(w.unknown);
      while (at + 1 < prompt.size() && w.of_number[static_cast<size_t>(prompt[at + 1])]) ++at;
    } else {
      out.push_back(t);
    }
  }
  out.insert(out.end(), prompt.begin() + static_cast<std::ptrdiff_t>(at), prompt.end());
  return out;
}

std::vector<Token> with_unknown_numbers(const std::vector<Token>& prompt, double share, Rng& rng) {
  const Words& w = words();
  const auto of_number = [&](size_t at) { return at < prompt.size() && w.of_number[static_cast<size_t>(prompt[at])]; };
  std::vector<Token> out;
  bool in_subgraph = false;
  for (size_t at = 0; at < prompt.size();) {
    in_subgraph = in_subgraph || prompt[at] == w.subgraph;
    if (!in_subgraph || !of_number(at)) {
      out.push_back(prompt[at++]);
      continue;
    }
    // A number, an extent's divisors with it, up to the next word that is none.
    const bool is_axis = out.back() == w.axis;
    const bool hides = !is_axis && rng.uniform() < share;
    if (hides) out.push_back(w.unknown);
    for (; of_number(at); ++at)
      if (!hides) out.push_back(prompt[at]);
  }
  return out;
}

std::vector<Token> write_prompt(const space::Space& space, const PromptForm& form) {
  const Words& w = words();
  const std::vector<Token> prompt = space::prompt_tokens(space);
  const bool hide_extents = form.blind == Blind::kExtents || form.blind == Blind::kAll;
  std::vector<Token> out;
  bool in_subgraph = false;
  for (size_t at = 0; at < prompt.size();) {
    const Token t = prompt[at];
    in_subgraph = in_subgraph || t == w.subgraph;
    const bool is_axis = t == w.axis;  // the number that follows is its name
    if (is_axis) {
      out.push_back(t);
      ++at;
    } else if (!w.starts_number[static_cast<size_t>(t)]) {
      out.push_back(t);
      ++at;
      continue;
    }
    const int64_t n = space::read_number(prompt, at);
    if (hide_extents && in_subgraph && !is_axis) {
      if (out.back() != w.unknown) out.push_back(w.unknown);  // an extent's divisors hide with it, their count too
    } else if (form.numbers == Numbers::kDecimal) {
      append_decimal(out, n);
    } else {
      space::append_number(out, n);
    }
  }
  const bool hide_target = form.blind == Blind::kTarget || form.blind == Blind::kAll;
  return hide_target ? with_unknown_target(std::move(out)) : out;
}

}  // namespace tlm::lm
