// What rivals learn from: the same records as the model, with the same workloads held out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tlm/core/target.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/records/record.h"

namespace tlm::eval {

struct TrainingProgram {
  std::string schedule;  // one line
  double log_ratio = 0;  // natural logarithm of the constructive schedule's latency / its own: the larger, the faster
  bool slow = false;     // was cut off: its latency is a lower bound
};

// One workload on one target.
struct TrainingWorkload {
  ir::Subgraph subgraph;
  Target target;
  std::vector<TrainingProgram> programs;  // fastest first, slow ones last
};

// Gathers records; what comes out does not depend on their order.
class TrainingData {
 public:
  // Why nothing may be learned from a workload on a target; empty: it may be.
  using Obstacle = std::function<std::string(const ir::Subgraph& g, const Target& t)>;
  explicit TrainingData(Obstacle obstacle) : obstacle_(std::move(obstacle)) {}
  void add(const space::Record& r);
  // By hash of workload and target. A program's ratio is the median over its batches of the newest emitter that measured it;
  // programs that were ever wrong or crashed are left out, workloads without any program, too. Ends this object's use.
  std::vector<TrainingWorkload> take();
  int64_t held_out() const { return held_out_; }  // records

 private:
  struct Program {
    int emitter_version = -1;
    bool broken = false, slow = true;
    std::vector<double> log_ratios;
  };
  struct Workload {
    bool wanted = false;
    ir::Subgraph subgraph;
    Target target;
    int space_version = -1;
    std::map<std::string, Program> programs;  // by schedule
  };
  Obstacle obstacle_;
  std::map<std::pair<uint64_t, uint64_t>, Workload> workloads_;
  int64_t held_out_ = 0;
};

}  // namespace tlm::eval
