#include "tlm/tools/eval/race/contender.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/core/stopwatch.h"

namespace tlm::eval {

Contender propose(const Entrant& entrant, const std::vector<SpaceMaker>& spaces, const std::vector<Contender>& before) {
  std::vector<std::shared_ptr<const space::Space>> fresh;
  for (const SpaceMaker& build : spaces) fresh.push_back(build());
  const std::unique_ptr<space::Scheduler> scheduler = entrant.make(before);
  const Stopwatch time;
  Contender c{entrant.name, entrant.kind, entrant.k, scheduler->schedule(fresh), {}};
  const double seconds = time.seconds();
  TLM_CHECK(c.picks.size() == spaces.size()) << entrant.name;
  c.seconds.assign(spaces.size(), seconds / static_cast<double>(std::max<size_t>(1, spaces.size())));
  return c;
}

}  // namespace tlm::eval
