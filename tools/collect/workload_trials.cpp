#include "tlm/tools/collect/workload_trials.h"

#include <algorithm>

namespace tlm::collect {

using space::Record;
using space::Schedule;

WorkloadTrials::WorkloadTrials(std::shared_ptr<const space::Space> space, uint64_t seed, const space::RecordStore& store)
    : space_(std::move(space)), search_(space_, {.seed = seed}), anchor_(hash(search_.anchor())) {
  const std::vector<Record> all = store.of_workload(ir::workload_hash(space_->subgraph()), space::target_hash(space_->target()));
  std::map<uint64_t, int> newest;  // of several records of a schedule those of the newest emitter count
  for (const Record& r : all) {
    int& version = newest[r.schedule_hash];
    version = std::max(version, r.emitter_version);
  }
  for (const Record& r : all)
    if (r.emitter_version == newest[r.schedule_hash]) observe(r);
}

void WorkloadTrials::observe(const std::vector<Record>& records) {
  for (const Record& r : records) observe(r);
}

void WorkloadTrials::observe(const Record& r) {
  if (known_.insert(r.schedule_hash).second && r.schedule_hash != anchor_) ++by_origin_[r.origin];
  search_.observe(space::parse_schedule(r.schedule), r.ratio, r.status);
}

int WorkloadTrials::measured_for(const std::string& origin) const {
  const auto at = by_origin_.find(origin);
  return at == by_origin_.end() ? 0 : at->second;
}

std::vector<Schedule> WorkloadTrials::unknown(const std::vector<Schedule>& proposals, int count) const {
  std::vector<Schedule> out;
  for (const Schedule& s : proposals) {
    if (static_cast<int>(out.size()) >= count) break;
    const uint64_t h = hash(s);
    if (h != anchor_ && !known_.contains(h) && std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
  }
  return out;
}

}  // namespace tlm::collect
