// One choice of a schedule and its legal candidates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tlm::ir {
struct Stage;
struct Subgraph;
}

namespace tlm::space {

// X(kind, text). A kind fixes how candidates are written as text and as tokens (choice_text.cpp, language/).
// [what a candidate holds] {facts: numbers that the candidates are about} (consequences: what each of them comes to). Facts and
// consequences are for sentences, schedules have none; quantities are steps of a logarithm, 0 to 15 (rules/scale.h).
#define TLM_DECISION_KINDS(X)                                                                                          \
  X(kAlgorithm, "algorithm") /* stage: [0 direct | number of the rule, its parameter] {points, memory of constants} (uses of each element of the largest tensor that is read, operations beside those without it, memory in between) */ \
  X(kAttach, "attach")     /* stage: [0] Attach {memory of outputs, points of readers for each of its own} */          \
  X(kMicro, "micro")       /* nest: [vector axis or -1, lanes, vectors, axis or -1, tile, axis or -1, tile] {where stages were replaced: axis, extent, …} (idle points; updates for each of the largest panel; accumulators; updates for each operand; memory of that panel, of the others) */ \
  X(kUnroll, "unroll")     /* nest: [reduction axis or -1, factor, second reduction axis or -1, factor] (updates of a body, points for each element) */ \
  X(kTile, "tile")         /* axis: [points of the cache tile; 0 none] {points of a register tile, how many there are} (memory that a cache tile touches) */ \
  X(kTail, "tail")         /* axis: [Tail] {points that are left over from whole register tiles} */                   \
  X(kOrder, "order")       /* nest: permutation of the spatial axes with a cache loop {axis, its cache tiles, …} (bytes into L2, into L1, for each that is touched) */ \
  X(kInner, "inner")       /* nest: permutation of the spatial axes with a register-tile loop {axis, its tiles, …} (bytes, as above) */ \
  X(kReduce, "reduce")     /* nest: permutation of the reduction axes */                                              \
  X(kPack, "pack")         /* constant tensor: [0 row-major | 1 panels that the register tile wants] */               \
  X(kParallel, "parallel") /* nest: [loops shared out, grain] {cores, work, trips of each loop that may be shared} */ \
  X(kPrefetch, "prefetch") /* nest: [0 none | 1 the next panels of constants] */

enum class DecisionKind : uint8_t {
#define X(name, text) name,
  TLM_DECISION_KINDS(X)
#undef X
};
const char* kind_name(DecisionKind kind);

using Choice = std::vector<int64_t>;  // meaning by kind, above

struct Decision {
  DecisionKind kind = DecisionKind::kAttach;
  int stage = -1;                  // of the walk's subgraph (attach: the stage; others: the nest's root); kAlgorithm: of the space's
  int item = -1;                   // kTile, kTail: axis; kPack: tensor
  std::string name;                // "micro.s2", "tile.s2.ow", "pack.s2.t3" (tensor number): unique in a space, stable
  std::vector<Choice> candidates;  // never empty, no duplicates, deterministic order
  std::vector<int64_t> facts;      // by kind, above; most kinds have none
  int neutral = 0;                 // the candidate that reproduces programs from before this decision existed
};
// A decision that has one candidate is taken silently: it is no part of a walk, a schedule or a sentence.

// "co:2x8 ow:6" (vectors x lanes), "peeled", "ow,oh", "loops:2 grain:4", …; "none" where nothing is chosen.
// `axes` are the axis names of the decision's stage, as axis_names() gives them.
std::string choice_text(const Decision& d, const Choice& c, const std::vector<std::string>& axes);
// The candidate with that text, -1 if none.
int parse_choice(const Decision& d, const std::string& text, const std::vector<std::string>& axes);
// Names of the axes that the candidates of `d` speak of; g: the walk's subgraph.
std::vector<std::string> axis_names(const Decision& d, const ir::Subgraph& g);
// Names of the stage's axes as schedules write them: the axes' own where all are identifiers and distinct, else "a0", "a1", ….
std::vector<std::string> axis_names(const ir::Stage& s);

}  // namespace tlm::space
