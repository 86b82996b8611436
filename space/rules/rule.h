// Rules: how the candidates of each kind of decision follow from a stage, the target and what is already decided.
// Each rule is a pure function; none knows an operator. Whatever the earlier choices were, a rule has a candidate.
#pragma once

#include <vector>

#include "tlm/space/rules/sketch.h"

namespace tlm::space {

// attach.cpp: decided for every stage in order, before the nests are known.
std::vector<Choice> attach_candidates(const Context& c, const Sketch& s, int stage);
void attach_apply(const Context& c, Sketch& s, int stage, Attach choice);
std::vector<int64_t> attach_facts(const Context& c, int stage);
// Root stages in execution order. Never fails: attach_candidates keeps the order acyclic.
std::vector<int> execution_order(const Sketch& s);

// One kind of decision of a nest.
struct Rule {
  DecisionKind kind;
  // How many decisions of this kind the nest has: 1, or one for each axis or loaded tensor. Each may turn out to have one
  // candidate.
  int (*items)(const Context& c, const Sketch& s);
  // Never empty, no duplicates, the neutral one first.
  std::vector<Choice> (*candidates)(const Context& c, const Sketch& s, int item);
  void (*apply)(const Context& c, Sketch& s, int item, const Choice& choice);
  // Decision::facts. null: the kind has none. Asked for only where there is a choice.
  std::vector<int64_t> (*facts)(const Context& c, const Sketch& s, int item) = nullptr;
  // Walk::consequences. null: the kind has none.
  std::vector<int64_t> (*consequences)(const Context& c, const Sketch& s, int item, const Choice& choice) = nullptr;
};

// In the order of decisions.
const std::vector<Rule>& nest_rules();

Rule micro_rule();     // register_tile.cpp
Rule unroll_rule();    // unroll.cpp
Rule reduce_rule();    // order.cpp
Rule tile_rule();      // tiling.cpp
Rule tail_rule();      // tail.cpp
Rule order_rule();     // order.cpp
Rule inner_rule();     // order.cpp
Rule parallel_rule();  // parallel.cpp
Rule pack_rule();      // packing.cpp
Rule prefetch_rule();  // prefetch.cpp

inline NestPlan& nest_plan(Sketch& s) { return s.plan.nests[s.nest]; }
inline const NestPlan& nest_plan(const Sketch& s) { return s.plan.nests[s.nest]; }

}  // namespace tlm::space
