#include "tlm/tools/eval/rivals/projection.h"

#include <map>
#include <tuple>

#include "tlm/space/records/split_key.h"
#include "tlm/space/search/mutation.h"

namespace tlm::eval {
namespace {

using space::Decision;
using space::Walk;

constexpr int kMain = -2;  // in place of the main stage's number, which differs between workloads

using Place = std::tuple<space::DecisionKind, int, int>;  // kind, stage or kMain, axis or tensor

Place place_of(const Decision& d, int main) {
  // Tensors are numbered over the whole subgraph: as arguments they are told apart by the decision's name alone.
  return {d.kind, d.stage == main ? kMain : d.stage, d.kind == space::DecisionKind::kPack ? -1 : d.item};
}

}  // namespace

Walk project(const Walk& recorded, const space::Space& space) {
  std::map<Place, size_t> by_place;
  std::map<std::string, size_t> by_name;
  const int recorded_main = space::main_stage(recorded.subgraph());
  for (size_t i = 0; i < recorded.decisions().size(); ++i) {
    const Decision& d = recorded.decisions()[i];
    by_place.emplace(place_of(d, recorded_main), i);
    by_name.emplace(d.name, i);
  }
  Walk w = space.walk();
  const ir::Subgraph* known = nullptr;
  int main = -1;
  while (!w.done()) {
    if (known != &w.subgraph()) {  // an algorithm has replaced stages
      known = &w.subgraph();
      main = space::main_stage(*known);
    }
    const Decision& d = w.decision();
    const auto place = by_place.find(place_of(d, main));
    const auto name = by_name.find(d.name);
    int candidate = -1;
    for (const size_t i : {place != by_place.end() ? place->second : SIZE_MAX, name != by_name.end() ? name->second : SIZE_MAX}) {
      if (i == SIZE_MAX || candidate >= 0) continue;
      const Decision& before = recorded.decisions()[i];
      if (before.kind == d.kind)
        candidate = space::nearest_candidate(d, before.candidates[static_cast<size_t>(recorded.chosen()[i])]);
    }
    w.choose(candidate >= 0 ? candidate : w.constructive());
  }
  return w;
}

}  // namespace tlm::eval
