#include "tlm/space/language/choice_tokens.h"

#include "tlm/core/error.h"
#include "tlm/space/language/number_alphabet.h"
#include "tlm/space/plan.h"
#include "tlm/space/rules/algorithm.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {
namespace {

Token word(const char* text) { return Vocabulary::standard().token(text); }

Token attach_word(Attach a) {
  switch (a) {
    case Attach::kRoot: return word("root");
    case Attach::kInline: return word("inline");
    case Attach::kEpilogue: return word("epilogue");
  }
  TLM_CHECK(false) << "attach";
  return -1;
}

Token tail_word(Tail t) {
  switch (t) {
    case Tail::kPeeled: return word("peeled");
    case Tail::kBalanced: return word("balanced");
    case Tail::kShifted: return word("shifted");
  }
  TLM_CHECK(false) << "tail";
  return -1;
}

// An axis and, if there is one, the numbers that belong to it.
void append_axis_with(std::vector<Token>& out, const Choice& c, size_t axis, size_t numbers) {
  append_axis(out, static_cast<int>(c[axis]));
  for (size_t i = 1; i <= numbers && c[axis] >= 0; ++i) append_number(out, c[axis + i]);
}

// Of a candidate [loops, grain]. Grains of one count of loops differ in it: one chunk for each core, a few, as many as there are.
int64_t chunks_for_each_core(const Decision& d, const Choice& c) {
  int64_t merged = 1;
  for (int64_t loop = 1; loop <= c[0]; ++loop) merged *= d.facts.at(static_cast<size_t>(loop) + 1);
  return ceil_div(ceil_div(merged, c[1]), d.facts[0]);
}

}  // namespace

std::vector<Token> decision_head(const Decision& d) {
  std::vector<Token> out = {word((std::string("@") + kind_name(d.kind)).c_str())};
  if (d.kind == DecisionKind::kAlgorithm || d.kind == DecisionKind::kAttach)
    for (const int64_t fact : d.facts) append_number(out, fact);
  if (d.kind == DecisionKind::kTile || d.kind == DecisionKind::kTail) append_axis(out, d.item);
  if (d.kind == DecisionKind::kPack) append_number(out, d.item);
  if (d.kind == DecisionKind::kTile) append_number(out, d.facts.at(1));
  if (d.kind == DecisionKind::kTail) append_number(out, d.facts.at(0));
  if (d.kind == DecisionKind::kParallel) append_number(out, d.facts.at(1));
  if (d.kind == DecisionKind::kMicro || d.kind == DecisionKind::kOrder || d.kind == DecisionKind::kInner)
    for (size_t i = 0; i + 1 < d.facts.size(); i += 2) {
      append_axis(out, static_cast<int>(d.facts[i]));
      append_number(out, d.facts[i + 1]);
    }
  return out;
}

std::vector<Token> choice_tokens(const Decision& d, const Choice& c, const std::vector<int64_t>& consequences) {
  std::vector<Token> out;
  const auto append_consequences = [&] {
    for (const int64_t x : consequences) append_number(out, x);
  };
  if (d.kind != DecisionKind::kMicro) append_consequences();
  switch (d.kind) {
    case DecisionKind::kAlgorithm:
      out.push_back(word(algorithm_name(c[0])));
      for (size_t i = 1; i < c.size(); ++i) append_number(out, c[i]);
      return out;
    case DecisionKind::kAttach: return {attach_word(static_cast<Attach>(c[0]))};
    case DecisionKind::kTail: return {tail_word(static_cast<Tail>(c[0]))};
    case DecisionKind::kPack: return {word(c[0] == 0 ? "rows" : "panels")};
    case DecisionKind::kPrefetch: return {word(c[0] == 0 ? "none" : "panels")};
    case DecisionKind::kMicro:
      append_axis_with(out, c, 0, 1);
      append_consequences();
      if (c[0] >= 0) append_number(out, c[2]);
      append_axis_with(out, c, 3, 1);
      append_axis_with(out, c, 5, 1);
      return out;
    case DecisionKind::kUnroll:
      append_axis_with(out, c, 0, 1);
      append_axis_with(out, c, 2, 1);
      return out;
    case DecisionKind::kOrder:
    case DecisionKind::kInner:
    case DecisionKind::kReduce:
      for (const int64_t axis : c) append_axis(out, static_cast<int>(axis));
      return out;
    case DecisionKind::kTile: append_number(out, c[0] / d.facts.at(0)); return out;  // a multiple of the register tile
    case DecisionKind::kParallel:
      append_number(out, c[0]);
      if (c[0] > 0) append_number(out, chunks_for_each_core(d, c));
      return out;
  }
  TLM_CHECK(false) << "decision kind";
  return out;
}

}  // namespace tlm::space
