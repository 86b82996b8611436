// The reference: an evolutionary search of each test workload by itself. It knows nothing but the space: no model, no records of
// others. May be stopped at any time and goes on where it was.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/log.h"
#include "tlm/core/progress.h"
#include "tlm/core/target.h"
#include "tlm/space/measurer.h"
#include "tlm/tools/eval/eval_workload.h"
#include "tlm/tools/eval/reference/reference_file.h"

namespace tlm::eval {

struct ReferenceOptions {
  std::filesystem::path records;  // a file of its own: SQLite, created if need be
  Target machine;                 // the cores are each workload's own
  int trials = 1000;
  std::vector<int> prefixes = {64, 256, 1000};  // those above `trials` are left out
  int batch = 16;
  uint64_t seed = 0;
  std::function<bool()> stop;    // asked before each batch; true: what is finished so far is returned
  CancelToken cancel;            // Error(kInterrupted); batches measured before are in the records
  Progress* progress = nullptr;  // borrowed
  Log log;
};

struct ReferenceResult {
  std::vector<Reference> references;  // of the finished workloads, in the order of the list
  int measured = 0;                   // schedules, this time
  bool stopped = false;
};

// `confirming` measures the fastest schedules side by side when a search is done; it takes more rounds than `measurer`.
ReferenceResult search_references(const std::vector<EvalWorkload>& list, space::Measurer& measurer, space::Measurer& confirming,
                                  const ReferenceOptions& options);

}  // namespace tlm::eval
