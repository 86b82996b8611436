// A race: what contenders chose for one workload, the reference among them, measured in turn. Nothing is compared that was not
// measured in one batch, and no sample that chose a program counts for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/space/measurer.h"
#include "tlm/tools/eval/eval_workload.h"
#include "tlm/tools/eval/race/contender.h"

namespace tlm::eval {

// How one contender came in.
struct RaceEntry {
  std::string contender;
  int distinct = 0;      // programs that counted: at most its k
  int duplicates = 0;    // schedules passed over on the way to them, because they give the program of an earlier one
  std::string schedule;  // that ran
  uint64_t program = 0;  // hash of its source
  std::string status;    // "ok", "slow", "timed_out", …
  double ms = 0;         // median; of a program that did not end, the deadline. 0: it was wrong, crashed or was not compiled
  double ratio = 0;      // the reference's ms / its own, in one batch; 0: none
  double seconds = 0;    // wall-clock of choosing: proposing, and its share of the batch in which k programs were measured
};

struct RaceRow {
  std::string name, kind, set;
  uint64_t workload = 0;
  int cores = 1;
  uint64_t plan = 0;             // of everything that was raced: race_plan
  double reference_ms = 0;       // of the reference, or of the fastest where there is none
  double reference_best_ms = 0;  // the fastest of all programs of the reference in the race: flatters it
  double constructive_ms = 0;    // of the anchor
  double roof_ms = 0;            // shortest time by the machine's multiply-adds and memory; 0: not known
  bool unsteady = false;
  int programs = 0;                // in the race
  std::vector<RaceEntry> entries;  // by contender
};

struct RaceOptions {
  std::string reference;   // name of the contender that all are compared with; empty, or nothing chosen by it: the fastest
  double deadline_s = 10;  // of the measurers: what a program that did not end is taken to need
  size_t most_programs =
      64;  // of one batch; where there are more, the reference is part of each (without one there is one batch)
  // Hash of the emitted source; 0: it cannot be lowered. (codegen/measure/batch_programs.h)
  std::function<uint64_t(const space::Space& space, const space::Schedule& s)> program;
  // GFLOP/s of so many cores; none: what the probes beside the batch say.
  std::function<double(int cores)> peak;
  // GB/s of so many cores over a working set of so many bytes; none: no memory roof.
  std::function<double(int cores, double bytes)> stream;
  // What else a row depends on: machine, versions of space, language and emitter, rounds. Rows and proposals of others are not
  // kept.
  std::string conditions;
  CancelToken cancel;
};

// Of the conditions, the workload, the reference's name, and every contender's k and picks for workload number `index`.
uint64_t race_plan(const EvalWorkload& w, size_t index, const std::vector<Contender>& contenders, const RaceOptions& options);

// `selecting` measures the programs among which contenders with k > 1 choose; `racing`, with more rounds, the chosen ones.
RaceRow race(const EvalWorkload& w, size_t index, const std::shared_ptr<const space::Space>& space,
             const std::vector<Contender>& contenders, space::Measurer& selecting, space::Measurer& racing,
             const RaceOptions& options);

}  // namespace tlm::eval
