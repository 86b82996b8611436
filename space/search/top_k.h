// A few proposals for each workload, measured: the best one wins.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm/space/search/network_search.h"

namespace tlm::space {

// The constructive schedule, then up to k-1 that differ from it in one decision, which takes the candidate that is next best in
// the constructive scheduler's eyes (then the one after that, …), the decisions that matter most first. What follows it is
// completed anew. All distinct.
std::vector<Schedule> constructive_variations(const std::shared_ptr<const Space>& space, int k);
// Up to k distinct draws of the random scheduler; the first is the one that `seed` gives it.
std::vector<Schedule> random_draws(const std::shared_ptr<const Space>& space, int k, uint64_t seed);

struct TopKOptions {
  std::string origin;  // of the records
  uint64_t seed = 0;
  CancelToken cancel;            // Error(kInterrupted); batches measured before are in the records
  Progress* progress = nullptr;  // borrowed
};

// Measures proposals[w] of each workload, as RecordedMeasurer does (`records` may be null), and chooses the one with the best
// ratio. A workload without a proposal that can be timed gets the constructive schedule.
SearchResult measure_top_k(const std::vector<SearchWorkload>& workloads, const std::vector<std::vector<Schedule>>& proposals,
                           Measurer& measurer, RecordStore* records, const TopKOptions& options);

}  // namespace tlm::space
