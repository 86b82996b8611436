// Search for the fastest schedules of a network's workloads: measures until the trials are spent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/log.h"
#include "tlm/core/progress.h"
#include "tlm/space/measurer.h"
#include "tlm/space/records/record_store.h"
#include "tlm/space/space.h"

namespace tlm::space {

struct SearchWorkload {
  std::shared_ptr<const Space> space;
  int count = 1;  // how often the network runs it
  std::string name;
};

struct SearchOptions {
  int trials = 64;    // schedules measured for each workload, at most; those in the records count
  int batch = 16;     // schedules measured at a time
  int confirmed = 4;  // the fastest of each workload that are measured once more, together, before one is chosen
  bool learn_from_others = true;  // the cost model also reads what the records hold of other workloads
  uint64_t seed = 0;
  CancelToken cancel;            // Error(kInterrupted); what was measured before is in the records
  Progress* progress = nullptr;  // borrowed
  Log log;
};

// What is known of one workload in the end.
struct SearchOutcome {
  Schedule schedule;   // the fastest that was measured
  double ratio = 1;    // times as fast as the constructive schedule
  double best_ms = 0;  // 0: never measured
  int trials = 0;      // distinct schedules measured, in this search and in the records
  int measured = 0;    // of these in this search
};

struct SearchResult {
  std::vector<SearchOutcome> workloads;
  int measured = 0;  // schedules, in this search
  double seconds = 0;
  double network_ms = 0;  // sum of best_ms × count
  double anchor_ms = 0;   // the same of the constructive schedules
};

// `records` (may be null) is read first and gets every batch as soon as it is measured. No schedule is measured that it holds
// already, but for the best known, which is part of each batch. The schedules chosen follow from the records alone.
SearchResult search_network(const std::vector<SearchWorkload>& workloads, Measurer& measurer, RecordStore* records,
                            const SearchOptions& options);

}  // namespace tlm::space
