// One sentence under construction.
#pragma once

#include <memory>
#include <vector>

#include "tlm/lm/forward.h"
#include "tlm/lm/language_model.h"
#include "tlm/space/language/grammar.h"

namespace tlm::lm {

// A value but for its cache.
struct Draft {
  explicit Draft(space::Grammar start) : grammar(std::move(start)) {}

  space::Grammar grammar;
  std::unique_ptr<KvCache> cache;         // what the model has read
  std::vector<int32_t> unread;            // ids that it reads next
  std::vector<space::Token> tokens;       // decisions so far
  std::vector<space::Token> allowed;      // at the next choice; empty: finished
  std::vector<double> log_probabilities;  // of them
  double log_probability = 0;
  std::vector<space::DecisionKind> defaults;  // of decisions taken by default
  uint64_t path = 0;                          // hash of the choices

  bool done() const { return grammar.done(); }
};

// Takes everything that leaves no choice: forced tokens, and whole decisions with a word that the model lacks (the constructive
// scheduler's choice). Then the sentence is finished, or `allowed` has two tokens or more, all known to the model.
void advance_to_choice(Draft& draft, const LanguageModel& model);
// Takes allowed[choice], then goes on to the next choice.
void take_choice(Draft& draft, int choice, const LanguageModel& model);
// log_probabilities of the allowed tokens from the model's logits [V]: softmax over them alone.
void read_logits(Draft& draft, std::span<const float> logits, const LanguageModel& model);

}  // namespace tlm::lm
