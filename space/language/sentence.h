// A whole sentence: target, subgraph and schedule as tokens, and back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm/core/result.h"
#include "tlm/space/language/vocabulary.h"
#include "tlm/space/space.h"

namespace tlm::space {

// <target> … <subgraph> … <schedule>
std::vector<Token> prompt_tokens(const Space& space);
// The decisions of a complete walk, then <end>.
std::vector<Token> decision_tokens(const Walk& walk);
// Decisions (after <schedule>, up to and with <end>) → the walk they spell. Reason: the first token that is not allowed, and what is.
Result<Walk> read_decisions(const std::shared_ptr<const Space>& space, const std::vector<Token>& decisions);

// The sentence for people: one line for each part, stage and decision. from_text reads it back to the same tokens.
std::string sentence_text(const Walk& walk);

}  // namespace tlm::space
