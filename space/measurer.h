// The seam through which schedules are measured. Measuring belongs to codegen (codegen/measure), which compiles and runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/space/space.h"

namespace tlm::space {

enum class MeasureStatus : uint8_t {
  kOk,        // one sample for each round
  kSlow,      // more than three times the best after the first round: one sample
  kCrashed,   // ended its process by a signal
  kTimedOut,  // did not end within its deadline
  kWrong,     // computed something else than the interpreter: a bug in tlm
  kFailed,    // was not compiled: a bug in tlm
};

std::string_view measure_status_name(MeasureStatus s);  // "ok", "slow", "crashed", "timed_out", "wrong", "failed"
std::optional<MeasureStatus> parse_measure_status(std::string_view name);

struct Measurement {
  MeasureStatus status = MeasureStatus::kFailed;
  std::string reason;              // empty: ok or slow
  std::vector<double> samples_ms;  // one for each round
  double median_ms = 0;            // 0: none
  double ratio = 0;                // the anchor's median / this one's: > 1 is faster than the anchor; 0: none
  uint64_t source_hash = 0;        // of the emitted code: equal programs have equal hashes and are measured once
  // Has a latency (a slow one's is that of one round).
  bool timed() const { return median_ms > 0; }
};

// What the machine did beside a batch.
struct Probe {
  double gflops = 0;    // of a fixed loop of multiply-adds
  double gbytes_s = 0;  // of a fixed stream from memory
};

// Programs of one workload, measured in turn: only ratios within a batch mean anything.
struct Batch {
  std::string id;                     // unique
  std::vector<Measurement> programs;  // one for each schedule asked for
  Schedule anchor_schedule;           // the constructive schedule
  Measurement anchor;
  Probe before, after;
  int repeats = 0;        // how often it was measured again because the probes had moved
  bool unsteady = false;  // the probes moved even so
  int threads = 1;
  std::string cache_state;  // "weights cold and mapped, activations warm"
  std::string compiler;     // identity of the C compiler
  std::string flags;        // its flags
  int emitter_version = 0;
  std::string date;  // UTC, "2025-01-31T12:00:00Z"
};

class Measurer {
 public:
  virtual ~Measurer() = default;
  // One batch of one workload: `schedules` (legal and complete ones of `space`; the best known among them) and the anchor, which
  // the measurer adds itself. Candidates that crash, hang or compute something wrong are results. Throws Error(kInterrupted)
  // when cancelled, Error(kEnvironment) when nothing can be measured here.
  virtual Batch measure(const Space& space, const std::vector<Schedule>& schedules, const CancelToken& cancel) = 0;
};

}  // namespace tlm::space
