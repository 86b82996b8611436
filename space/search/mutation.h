// Small changes of complete schedules. All of them are walks through the space: whatever comes out is complete and legal.
#pragma once

#include "tlm/core/rng.h"
#include "tlm/space/space.h"

namespace tlm::space {

// Whether such decisions say how a nest runs; the others, which come first, say which nests there are.
bool shapes_nest(DecisionKind kind);

// The candidate of `d` nearest to a choice that was made at a decision of the same name: itself where it is legal, else the one
// with the nearest sizes or the most similar order. -1: none means anything like it.
int nearest_candidate(const Decision& d, const Choice& wanted);

// One decision is drawn anew, sometimes two or three. All others are kept where they are still legal; else the nearest candidate
// is taken, or the constructive one. After a change the rest of the nest is now and then left to the constructive scheduler.
Walk mutate(const Walk& parent, Rng& rng);
// Decisions of `a` up to a point, or for some of the nests, and of `b` for the others.
Walk crossover(const Walk& a, const Walk& b, Rng& rng);
// A uniform candidate at each decision with probability `wild`, else the constructive one.
Walk random_walk(const Space& space, Rng& rng, double wild = 1);

}  // namespace tlm::space
