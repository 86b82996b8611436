// A finished sentence: what decoding makes.
#pragma once

#include <optional>
#include <vector>

#include "tlm/space/language/vocabulary.h"
#include "tlm/space/measurer.h"
#include "tlm/space/space.h"

namespace tlm::lm {

struct Sentence {
  space::Walk walk;                  // complete
  std::vector<space::Token> tokens;  // the decisions, with <end>
  double log_probability = 0;        // over the legal tokens of each choice; forced tokens contribute 0
  // Of the decisions whose words the model lacks, in order: they took the constructive scheduler's choice.
  std::vector<space::DecisionKind> defaults;
  std::optional<space::Measurement> measurement;  // by a strategy that measures
};

}  // namespace tlm::lm
