// Who takes part in a race: a name, and what it proposes for each workload.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/space/scheduler.h"

namespace tlm::eval {

// One contender's proposals.
struct Contender {
  std::string name;  // unique in a race
  std::string kind;  // "model", "rival" or "search": how tables group it
  int k = 1;         // distinct programs that are measured before one of them is chosen; 1: the first is taken unmeasured
  std::vector<std::vector<space::Schedule>> picks;  // by workload: best first; the first k distinct programs count
  std::vector<double> seconds;                      // by workload: wall-clock of proposing
};

// One that has not proposed yet: making the scheduler may take a while (training), and no part of its wall-clock.
struct Entrant {
  std::string name, kind;
  int k = 1;
  std::string fingerprint;  // of all that its proposals depend on but the workloads
  // `before`: contenders that have proposed already, whose wall-clock may be the budget.
  std::function<std::unique_ptr<space::Scheduler>(const std::vector<Contender>& before)> make;
};

// Schedules that are asked for where k distinct programs are wanted: some may give the same program.
inline int proposals_for(int k) { return k == 1 ? 1 : k + k / 4; }

// Asks a scheduler for all workloads at once, as a compiler does. Each space is built anew: what one contender has walked is not
// ready for the next.
using SpaceMaker = std::function<std::shared_ptr<const space::Space>()>;
Contender propose(const Entrant& entrant, const std::vector<SpaceMaker>& spaces, const std::vector<Contender>& before);

}  // namespace tlm::eval
