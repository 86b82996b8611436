// The whole space of legal schedules of a subgraph on a target.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tlm/core/result.h"
#include "tlm/core/target.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/decision.h"
#include "tlm/space/plan.h"
#include "tlm/space/schedule.h"

namespace tlm::space {

class Space;
struct NestInfo;

// A prefix of decisions. A value: copy it to branch (beams). The candidates of the next decision are a function of
// (subgraph, target, earlier choices) alone, computed here and nowhere else: enumeration, sampling, mutation, the mask of
// the language model, decoding and validation all walk it. Every prefix can be completed.
class Walk {
 public:
  explicit Walk(std::shared_ptr<const Space> space);
  bool done() const;
  const Decision& decision() const;                // the next one; TLM_CHECKs !done()
  // What a candidate comes to, in numbers that mean the same for any subgraph: registers, reuse, memory. For sentences,
  // by kind (decision.h); empty for most kinds. Functions of shapes and sizes alone: no claim of how fast anything is.
  std::vector<int64_t> consequences(int candidate) const;
  void choose(int candidate);                      // TLM_CHECKs the range
  int constructive() const;                        // the candidate that the constructive scheduler takes here (constructive.h)
  std::vector<int> ranking(int n) const;           // that one, then what it would take without those before, up to n
  void complete();                                 // takes the constructive choice (constructive.h) for all that is left
  const std::vector<int>& chosen() const;          // candidate numbers so far
  const std::vector<Decision>& decisions() const;  // those already decided
  Schedule schedule() const;                       // of the choices so far
  SchedulePlan plan() const;                       // TLM_CHECKs done()
  // What the plan is about: the space's subgraph, with the stages replaced for which another algorithm was chosen. Tensors of the
  // space's subgraph keep their numbers.
  const ir::Subgraph& subgraph() const;
  std::shared_ptr<const ir::Subgraph> shared_subgraph() const;
  const NestInfo& nest_info(int nest) const;  // of a nest of the plan, as long as this walk lives; TLM_CHECKs done()
  const Space& space() const;

 private:
  friend class Space;
  struct State;
  std::shared_ptr<const Space> space_;
  std::shared_ptr<const State> state_;  // persistent: shared between copies
};

class Space : public std::enable_shared_from_this<Space> {
 public:
  static std::shared_ptr<const Space> build(ir::Subgraph g, Target target);
  const ir::Subgraph& subgraph() const { return *subgraph_; }
  std::shared_ptr<const ir::Subgraph> shared_subgraph() const { return subgraph_; }
  const Target& target() const { return target_; }
  Walk walk() const { return Walk(shared_from_this()); }
  Walk constructive() const;  // complete: the constructive schedule (constructive.h)

  // Reads a schedule: decisions it lacks take their neutral value. Reason: the decision, its text and the legal candidates.
  Result<Walk> replay(const Schedule& s) const;
  // log10 of the number of complete schedules: exact when enumeration ends within `budget` walks, else an estimate (Knuth's
  // random probing, seeded).
  double log10_size(int budget = 20000) const;

 private:
  friend class Walk;
  Space() = default;
  // The constructive choice of an algorithm or an attachment may complete every alternative: it is made once for each prefix.
  int remembered(const std::vector<int>& prefix, const std::function<int()>& choose) const;
  // Walks through algorithms and attachments, which are few but rewrite and analyse whole stages: the first few hundred prefixes are
  // kept.
  std::shared_ptr<const Walk::State> known(const std::vector<int>& prefix) const;  // null: not yet
  void remember(const std::shared_ptr<const Walk::State>& state) const;

  std::shared_ptr<const ir::Subgraph> subgraph_;
  Target target_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<int>, int> choices_;                                // by prefix
  mutable std::map<std::vector<int>, std::shared_ptr<const Walk::State>> states_;  // by prefix
};

}  // namespace tlm::space
