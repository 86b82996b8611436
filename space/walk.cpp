#include <numeric>

#include "tlm/core/error.h"
#include "tlm/space/rules/algorithm.h"
#include "tlm/space/rules/sketch.h"
#include "tlm/space/search/constructive.h"
#include "tlm/space/space.h"

namespace tlm::space {

struct Walk::State {
  Sketch sketch;
  std::optional<Decision> open;
  std::vector<int> chosen;
  std::vector<Decision> decided;
};

namespace {

bool is_structure(DecisionKind kind) { return kind == DecisionKind::kAlgorithm || kind == DecisionKind::kAttach; }

Context context(const Space& space, const Sketch& s) { return context_of({space.subgraph(), space.target()}, s); }

}  // namespace

Walk::Walk(std::shared_ptr<const Space> space) : space_(std::move(space)) {
  state_ = space_->known({});
  if (state_) return;
  auto state = std::make_shared<State>();
  state->sketch = initial_sketch({space_->subgraph(), space_->target()});
  state->open = next_decision(context(*space_, state->sketch), state->sketch);
  state_ = std::move(state);
  space_->remember(state_);
}

bool Walk::done() const { return !state_->open; }

const Decision& Walk::decision() const {
  TLM_CHECK(!done()) << "the walk is complete";
  return *state_->open;
}

std::vector<int64_t> Walk::consequences(int candidate) const {
  if (decision().kind == DecisionKind::kAlgorithm) {
    Walk chosen = *this;  // the space remembers it
    chosen.choose(candidate);
    return algorithm_consequences(subgraph(), chosen.subgraph());
  }
  const Choice& choice = decision().candidates.at(static_cast<size_t>(candidate));
  return space::consequences(context(*space_, state_->sketch), state_->sketch, choice);
}

void Walk::choose(int candidate) {
  const Decision& open = decision();
  TLM_CHECK(candidate >= 0 && candidate < static_cast<int>(open.candidates.size())) << open.name << ": candidate " << candidate;
  const bool structure = is_structure(open.kind);
  if (structure) {
    std::vector<int> prefix = state_->chosen;
    prefix.push_back(candidate);
    if (std::shared_ptr<const State> known = space_->known(prefix)) {
      state_ = std::move(known);
      return;
    }
  }
  // A state that nobody else holds is changed in place; one that other walks share is copied.
  std::shared_ptr<State> state =
      state_.use_count() == 1 ? std::const_pointer_cast<State>(std::move(state_)) : std::make_shared<State>(*state_);
  take(context(*space_, state->sketch), state->sketch, state->open->candidates[candidate]);
  state->chosen.push_back(candidate);
  state->decided.push_back(std::move(*state->open));
  state->open = next_decision(context(*space_, state->sketch), state->sketch);
  state_ = std::move(state);
  if (structure) space_->remember(state_);
}

int Walk::constructive() const {
  const auto choose = [&] { return constructive_choice(context(*space_, state_->sketch), state_->sketch, decision()); };
  return is_structure(decision().kind) ? space_->remembered(state_->chosen, choose) : choose();
}

std::vector<int> Walk::ranking(int n) const {
  Decision rest = decision();
  std::vector<int> ranked, number(rest.candidates.size());
  std::iota(number.begin(), number.end(), 0);
  while (static_cast<int>(ranked.size()) < n && !number.empty()) {
    const int taken = constructive_choice(context(*space_, state_->sketch), state_->sketch, rest);
    ranked.push_back(number[static_cast<size_t>(taken)]);
    number.erase(number.begin() + taken);
    rest.candidates.erase(rest.candidates.begin() + taken);
    rest.neutral = 0;
  }
  return ranked;
}

void Walk::complete() {
  while (!done()) choose(constructive());
}

const std::vector<int>& Walk::chosen() const { return state_->chosen; }
const std::vector<Decision>& Walk::decisions() const { return state_->decided; }

Schedule Walk::schedule() const {
  Schedule s;
  for (size_t i = 0; i < state_->decided.size(); ++i) {
    const Decision& d = state_->decided[i];
    s.choices.emplace_back(d.name, choice_text(d, d.candidates[state_->chosen[i]], axis_names(d, subgraph())));
  }
  return s;
}

SchedulePlan Walk::plan() const {
  TLM_CHECK(done()) << "undecided: " << decision().name;
  return state_->sketch.plan;
}

std::shared_ptr<const ir::Subgraph> Walk::shared_subgraph() const {
  return state_->sketch.subgraph ? state_->sketch.subgraph : space_->shared_subgraph();
}

const ir::Subgraph& Walk::subgraph() const { return state_->sketch.subgraph ? *state_->sketch.subgraph : space_->subgraph(); }

const NestInfo& Walk::nest_info(int nest) const {
  TLM_CHECK(done()) << "undecided: " << decision().name;
  return *space::nest_info(context(*space_, state_->sketch), state_->sketch, nest);
}

const Space& Walk::space() const { return *space_; }

std::shared_ptr<const Walk::State> Space::known(const std::vector<int>& prefix) const {
  const std::lock_guard lock(mutex_);
  const auto at = states_.find(prefix);
  return at == states_.end() ? nullptr : at->second;
}

void Space::remember(const std::shared_ptr<const Walk::State>& state) const {
  constexpr size_t kMost = 256;  // prefixes, some tens of KB each
  const std::lock_guard lock(mutex_);
  if (states_.size() < kMost) states_.emplace(state->chosen, state);
}

}  // namespace tlm::space
