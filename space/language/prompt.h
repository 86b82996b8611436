// Hardware and computation as tokens: what the language model reads before it writes a schedule.
//
//   <target> cpu vector N registers N fma|no-fma l1 N l2 N l3 N cores N fast|strict
//   <target> gpu sm N processors N shared N registers N fast|strict
//   <subgraph>
//     <stage> COMBINER [ordered] TYPE {spatial|reduce|scan N DIVISORS}… | same  [exclusive]
//             [ops N] [special N] [select N]
//             {<load> [guarded] ROLE TYPE ACCESS}…  {<store> ROLE TYPE ACCESS}…
//
// N is a number of the alphabet: vector in bits, caches and shared memory in KB, the rest counts. DIVISORS, of an extent above 15:
// the largest of 8, 4, 2 that divides it, of 9, 3, then 5, 7, 11, 13, as far as they do. `same`: the axes of the stage
// before; `ordered`: a combiner that is not associative; `exclusive`: a scan that leaves its own element out; `guarded`: inside a
// branch of a select. ACCESS is `identity` (axis i reads dimension i of a tensor of the same extents), followed by strides where
// the tensor is not dense row-major; else for each axis that it depends on the axis and its stride in elements (of a constant,
// whose layout is a decision: the axes alone, by dimension); an index that is no sum of axes is `gather` and its axes. Which
// tensor is accessed, and its base and extents, are not said. Names, hashes and devices do not occur.
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
