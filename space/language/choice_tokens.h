// A candidate of a decision as tokens. The one place that a new kind of decision adds to.
#pragma once

#include <vector>

#include "tlm/space/decision.h"
#include "tlm/space/language/vocabulary.h"

namespace tlm::space {

// Tokens that open a decision: its kind, the axis or tensor that it is about, and the facts that its candidates are about.
std::vector<Token> decision_head(const Decision& d);
// Tokens of one candidate: sizes in register tiles, grains in chunks for each core. Candidates of one decision differ, and none
// is the beginning of another.
// `consequences` (Walk::consequences) come before the sizes: what a choice comes to is chosen before how it is reached.
std::vector<Token> choice_tokens(const Decision& d, const Choice& c, const std::vector<int64_t>& consequences);

}  // namespace tlm::space
