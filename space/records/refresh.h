// Records measured again: after a change of the emitter, and to learn how far measurements can be trusted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/log.h"
#include "tlm/core/progress.h"
#include "tlm/space/records/record_store.h"

namespace tlm::space {

struct RefreshOptions {
  int top = 10;                                          // schedules of each workload
  int emitter_version = 0;                               // those that this version has measured already are left alone
  bool all = false;                                      // no, they are not
  std::function<bool(const Target& target)> measurable;  // on this machine; others are skipped
  CancelToken cancel;
  Progress* progress = nullptr;
  Log log;
};

struct RefreshResult {
  int workloads = 0;  // measured
  int schedules = 0;  // of them
  int current = 0;    // workloads that needed nothing
  int foreign = 0;    // workloads of targets that cannot be measured here
};

// Measures the top schedules of each workload and target until all of them are of this emitter. Each batch is appended at once: a
// refresh that is interrupted (Error(kInterrupted)) or killed goes on where it was. Schedules that the space no longer has are
// told and passed over.
RefreshResult refresh(RecordStore& store, Measurer& measurer, const RefreshOptions& options);

struct NoiseOptions {
  int programs = 200;
  int occasions = 3;
  std::function<bool(const Target& target)> measurable;
  CancelToken cancel;
  Progress* progress = nullptr;
};

struct Noise {
  int programs = 0;  // that have a latency on every occasion
  int workloads = 0;
  int unsteady_batches = 0;
  double sigma = 0;         // of the natural logarithm of the ratio: root of the mean variance over programs
  double median_sigma = 0;  // of a program
  double p90_sigma = 0;
};

// Measures programs of the store again, spread evenly over its workloads and over the ranks of their schedules, none of them the
// anchor, all of them on each occasion before the next one begins. Appends the batches (origin "noise").
Noise measure_noise(RecordStore& store, Measurer& measurer, const NoiseOptions& options);

}  // namespace tlm::space
