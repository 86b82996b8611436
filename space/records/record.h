// One measurement with all that is needed to understand it later: a row of a record file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/space/measurer.h"

namespace tlm::space {

struct Record {
  std::string workload;        // the subgraph as text (ir::print)
  uint64_t workload_hash = 0;  // ir::workload_hash
  uint64_t split_key = 0;      // split_key.h
  std::string target;          // JSON (target_json), nameless
  uint64_t target_hash = 0;    // target_hash()
  std::string schedule;        // one line (print(Schedule))
  uint64_t schedule_hash = 0;
  uint64_t source_hash = 0;  // of the emitted code; 0: not known
  MeasureStatus status = MeasureStatus::kFailed;
  std::string reason;
  std::vector<double> samples_ms;
  double median_ms = 0;  // 0: none
  double ratio = 0;      // anchor's median / own median in the same batch; 0: none
  std::string origin;    // who proposed it: "constructive", "random", "search", "lm 3", "refresh", …
  uint64_t seed = 0;
  // Of the batch
  std::string batch;  // id
  Probe before, after;
  int repeats = 0;
  bool unsteady = false;
  int threads = 1;
  std::string cache_state, compiler, flags;
  int space_version = 0, emitter_version = 0;
  std::string date;  // UTC

  bool timed() const { return median_ms > 0; }
};

// Of a target without its name: equal hardware, equal hash.
uint64_t target_hash(const Target& target);

// What a row says of its schedule's measurement.
Measurement measurement_of(const Record& r);

// The rows of a batch: one for each of `schedules` (those handed to measure()), then the anchor (origin "constructive") unless it
// is among them.
std::vector<Record> batch_records(const Space& space, const std::vector<Schedule>& schedules, const Batch& batch,
                                  const std::string& origin, uint64_t seed);

}  // namespace tlm::space
