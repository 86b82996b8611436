#include "tlm/lm/training/projection.h"

#include "tlm/space/records/split_key.h"
#include "tlm/space/search/mutation.h"

namespace tlm::lm {

using space::Decision;
using space::Walk;

RecordedChoices::Place RecordedChoices::place_of(const Decision& d, int main) {
  constexpr int kMain = -2;  // in place of the main stage's number, which differs between workloads
  // Tensors are numbered over the whole subgraph: as arguments they are told apart by the decision's name alone.
  return {d.kind, d.stage == main ? kMain : d.stage, d.kind == space::DecisionKind::kPack ? -1 : d.item};
}

RecordedChoices::RecordedChoices(const Walk& recorded) {
  const int main = space::main_stage(recorded.subgraph());
  for (size_t i = 0; i < recorded.decisions().size(); ++i) {
    const Decision& d = recorded.decisions()[i];
    by_place_.emplace(place_of(d, main), i);
    by_name_.emplace(d.name, i);
    choices_.push_back({d.kind, d.candidates[static_cast<size_t>(recorded.chosen()[i])]});
  }
}

Walk RecordedChoices::project(const space::Space& space) const {
  Walk w = space.walk();
  const ir::Subgraph* known = nullptr;
  int main = -1;
  while (!w.done()) {
    if (known != &w.subgraph()) {  // an algorithm has replaced stages
      known = &w.subgraph();
      main = space::main_stage(*known);
    }
    const Decision& d = w.decision();
    const auto place = by_place_.find(place_of(d, main));
    const auto name = by_name_.find(d.name);
    int candidate = -1;
    for (const size_t i : {place != by_place_.end() ? place->second : SIZE_MAX, name != by_name_.end() ? name->second : SIZE_MAX})
      if (i != SIZE_MAX && candidate < 0 && choices_[i].kind == d.kind)
        candidate = space::nearest_candidate(d, choices_[i].choice);
    w.choose(candidate >= 0 ? candidate : w.constructive());
  }
  return w;
}

}  // namespace tlm::lm
