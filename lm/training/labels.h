// What records say about the programs of a workload: one latency for each distinct program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tlm/space/records/record.h"
#include "tlm/space/records/split_key.h"

namespace tlm::lm {

struct LabelledProgram {
  std::string schedule;  // one line, as recorded
  double log_ratio = 0;  // natural logarithm of the anchor's latency / its own: the larger, the faster
  bool slow = false;     // cut off after one round: its latency is a lower bound
};

// One workload on one target.
struct LabelledWorkload {
  std::string workload, target;  // the subgraph as text; JSON
  uint64_t workload_hash = 0, target_hash = 0, split_key = 0;
  int space_version = 0;                  // of its records
  std::vector<LabelledProgram> programs;  // fastest first, those of equal ratio by text; slow ones last
};

struct LabelCounts {
  int64_t records = 0;        // read
  int64_t older = 0;          // … of an older version of the space than the newest of the workload, or of an older emitter than
                              // the newest that measured the schedule
  int64_t without_ratio = 0;  // … without a latency of their own or of the anchor, though nothing was wrong
  int64_t disturbed = 0;      // … measured beside an anchor that took much longer than in another batch
  int64_t broken = 0;         // programs that were wrong, crashed, did not end or were not compiled: left out
  int64_t same = 0;           // schedules that give the same program as another one
  int64_t programs = 0;       // left
};

[[noreturn]] void refuse_test_workload(const std::string& name);  // Error(kUsage)

// Takes records in any order; what comes out does not depend on it. Keeps one copy of each text.
class Labels {
 public:
  // Throws Error(kUsage) that names the workload if its key, as the record says it, is of the split test: nothing may be learned
  // from it. What the workload itself says is asked once for each (make_datasets).
  void add(const space::Record& r);

  // All workloads with a program, in the order of their hashes. A program's ratio is the median over its batches, the steady ones
  // if there are any. A batch whose anchor took more than a quarter longer than in the fastest one of its workload and target
  // does not count: something slowed it, and not all of its programs alike. Ends this object's use.
  std::vector<LabelledWorkload> take();
  const LabelCounts& counts() const { return counts_; }  // after take()

 private:
  struct Sample {
    float log_ratio;
    float anchor_ms;  // of the anchor beside it
  };
  struct Program {
    int emitter_version = -1;
    uint64_t source_hash = 0;
    bool broken = false, slow = false;
    std::vector<Sample> steady, unsteady, cut_off;
  };
  struct Workload {
    std::string workload, target;
    uint64_t split_key = 0;
    int space_version = -1;
    std::unordered_map<std::string, Program> programs;  // by schedule
    int64_t records = 0;                                // of this version of the space
  };

  static double median_of(const std::vector<Sample>& samples);
  void drop_disturbed(Workload& w);
  LabelledWorkload label(std::pair<uint64_t, uint64_t> key, Workload& w);

  std::map<std::pair<uint64_t, uint64_t>, Workload> workloads_;  // by hashes of workload and target
  LabelCounts counts_;
};

}  // namespace tlm::lm
