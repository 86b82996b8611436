// Hardware and computation as tokens: what the language model reads before it writes a schedule.
//
//   <target> cpu vector N registers N fma l1 N l2 N l3 N cores N fast
//   <subgraph>
//     <stage> COMBINER TYPE {spatial|reduce|scan N}… | same
//             ops N special N select N
//             {<load> ROLE TYPE ACCESS}…  {<store> ROLE TYPE ACCESS}…
//
// Lengths in bits, counts and KB are numbers of the alphabet. `same`: the axes of the stage before. ACCESS is `identity` (axis i
// reads dimension i of a tensor of the same extents), or for each axis that it depends on the axis and its stride in elements
// (of a constant, whose layout is a decision: the axes alone, by dimension); an index that is no sum of axes is `gather` and its axes.
// Names, hashes and devices do not occur.
#pragma once

#include <vector>

#include "tlm/core/target.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/language/vocabulary.h"

namespace tlm::space {

// Total: any subgraph with extents up to 2^31 and any target.
std::vector<Token> target_tokens(const Target& target);
std::vector<Token> subgraph_tokens(const ir::Subgraph& g);

}  // namespace tlm::space
