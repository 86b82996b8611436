// A schedule of one workload carried over to another one.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tlm/space/space.h"

namespace tlm::lm {

// The choices of a complete walk, found by what each is about: all that is left of it.
class RecordedChoices {
 public:
  explicit RecordedChoices(const space::Walk& recorded);

  // Walks `space`: at each decision the legal candidate that comes nearest to what was chosen at the same decision: of the same
  // kind and tensor or axis, about the main stage, or about the stage of the same number. Where nothing was, the constructive
  // choice is taken.
  space::Walk project(const space::Space& space) const;

 private:
  struct Recorded {
    space::DecisionKind kind;
    space::Choice choice;
  };
  using Place = std::tuple<space::DecisionKind, int, int>;  // kind, stage, axis or tensor
  static Place place_of(const space::Decision& d, int main);

  std::vector<Recorded> choices_;
  std::map<Place, size_t> by_place_;
  std::map<std::string, size_t> by_name_;
};

}  // namespace tlm::lm
