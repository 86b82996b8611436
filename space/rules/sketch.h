// A schedule under construction: what is decided so far, resolved to a plan, and where the walk stands.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tlm/core/target.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/decision.h"
#include "tlm/space/plan.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {

// What the nests of one choice of algorithms and attachments read and write: analysed when first asked for, and shared by all
// sketches that go on from there.
struct NestInfos {
  std::mutex mutex;
  std::vector<std::shared_ptr<const NestInfo>> of;  // by nest; null: not asked for yet
};

// A value. Everything in it is a function of (subgraph, target, choices so far).
struct Sketch {
  std::shared_ptr<const ir::Subgraph> subgraph;  // with stages replaced; null: that of the space
  int algorithm = -1;                    // the stage whose algorithm is being decided, from the last to the first; -1: all are
  SchedulePlan plan;                     // neutral where undecided
  std::vector<int> host;                 // by stage: the root whose nest computes it; -1: inlined or undecided
  std::vector<std::vector<int>> after;   // by root stage: root stages whose tensors its nest reads
  int attached = 0;                      // stages whose attachment is decided
  int nest = -1;                         // the nest being decided; -1: attachments are not complete
  int rule = 0, item = 0;                // position in nest_rules() and in the rule's items
  std::shared_ptr<const NestInfo> info;  // of `nest`
  std::shared_ptr<NestInfos> infos;      // null: attachments are not complete
};

struct Context {
  const ir::Subgraph& g;  // the current one: context_of
  const Target& target;
};
// The context of the next decision of `s`. Valid until a decision replaces a stage.
inline Context context_of(const Context& c, const Sketch& s) { return {s.subgraph ? *s.subgraph : c.g, c.target}; }

// Of a nest of the plan; all attachments are decided.
std::shared_ptr<const NestInfo> nest_info(const Context& c, const Sketch& s, int nest);

Sketch initial_sketch(const Context& c);
// The next decision with more than one candidate; those with one are taken on the way. nullopt: the plan is complete.
std::optional<Decision> next_decision(const Context& c, Sketch& s);
// Walk::consequences, of a candidate of the decision that next_decision returned.
std::vector<int64_t> consequences(const Context& c, const Sketch& s, const Choice& choice);
// Takes a candidate of the decision that next_decision returned.
void take(const Context& c, Sketch& s, const Choice& choice);

}  // namespace tlm::space
