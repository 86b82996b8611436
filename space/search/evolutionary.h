// Search of one workload's space: a population of schedules evolves under the cost model, the most promising are measured, what
// was measured are the next parents.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tlm/space/search/cost_model.h"
#include "tlm/space/search/features.h"
#include "tlm/space/measurer.h"
#include "tlm/space/space.h"

namespace tlm::space {

struct EvolutionOptions {
  int population = 64;
  int generations = 3;        // for each batch
  double random_share = 0.2;  // of a batch: drawn, not chosen
  uint64_t seed = 0;
};

// Everything that it does follows from the options, the space and what was observed, in whatever order.
class EvolutionarySearch {
 public:
  EvolutionarySearch(std::shared_ptr<const Space> space, const EvolutionOptions& options);

  const Space& space() const { return *space_; }
  const Schedule& anchor() const { return anchor_; }  // the constructive schedule

  // A measurement: how many times as fast as the anchor; 0: no latency. Several of one schedule: their median counts. A slow
  // program, which was stopped early, teaches but is never the best; nor is one that was ever wrong or crashed. A schedule that
  // the space does not hold (any more) is remembered as known and ignored.
  void observe(const Schedule& s, double ratio, MeasureStatus status);

  // At most `count` legal schedules that were not observed, each once; fewer when the space holds no more or they cannot be
  // found. An unfitted model: the machine model judges.
  std::vector<Schedule> propose(int count, const CostModel& model) const;

  int trials() const;            // distinct schedules of this space observed, the anchor aside
  const Schedule& best() const;  // the fastest trusted; the anchor until there is one
  double best_ratio() const;
  std::vector<Schedule> top(int count) const;  // fastest first

  // What the cost model learns from: log2 of the time as a multiple of the anchor's.
  void add_rows(std::vector<std::vector<float>>& rows, std::vector<float>& labels) const;

 private:
  struct Observed {
    Schedule schedule;
    std::vector<double> ratios;
    bool trusted = false;    // was timed to the end
    bool broken = false;     // was wrong, crashed or did not end
    std::vector<float> row;  // empty: not a schedule of this space
    double ratio() const;
  };
  class Generation;

  std::vector<const Observed*> ranked() const;  // those with a trusted ratio, fastest first

  std::shared_ptr<const Space> space_;
  EvolutionOptions options_;
  Schedule anchor_;
  Features anchor_features_;
  std::map<uint64_t, Observed> observed_;  // by hash of the schedule
};

}  // namespace tlm::space
