// A whole race: proposals of all entrants, then workload by workload. May be stopped at any time and goes on where it was.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "tlm/core/progress.h"
#include "tlm/core/target.h"
#include "tlm/tools/eval/race/race.h"

namespace tlm::eval {

struct RaceRunOptions {
  std::filesystem::path folder;  // picks.jsonl and rows.jsonl
  Target machine;                // cores are each workload's own
  RaceOptions race;
  std::function<bool()> stop;    // asked before each workload; true: the rows so far are returned
  Progress* progress = nullptr;  // borrowed
};

struct RaceResult {
  std::vector<RaceRow> rows;  // of the finished workloads, in the order of the list
  bool stopped = false;
};

// `known`: contenders whose proposals are there already (those of the reference).
RaceResult run_race(const std::vector<EvalWorkload>& list, const std::vector<Contender>& known,
                    const std::vector<Entrant>& entrants, space::Measurer& selecting, space::Measurer& racing,
                    const RaceRunOptions& options);

}  // namespace tlm::eval
