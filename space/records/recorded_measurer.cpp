#include "tlm/space/records/recorded_measurer.h"

#include <algorithm>
#include <map>
#include <set>

#include "tlm/core/error.h"

namespace tlm::space {
namespace {

using Measurements = std::map<uint64_t, Measurement>;  // by hash of the schedule

// Ratios to another anchor, from before the constructive scheduler changed, cannot be compared with today's.
Measurements read(const RecordStore& records, const Space& space, uint64_t anchor) {
  const std::vector<Record> all = records.of_workload(ir::workload_hash(space.subgraph()), target_hash(space.target()));
  std::set<std::string> batches;
  for (const Record& r : all)
    if (r.schedule_hash == anchor) batches.insert(r.batch);
  std::map<uint64_t, const Record*> newest;
  for (const Record& r : all) {
    if (!batches.contains(r.batch)) continue;
    const Record*& at = newest[r.schedule_hash];
    if (!at || r.emitter_version >= at->emitter_version) at = &r;
  }
  Measurements out;
  for (const auto& [schedule, r] : newest) out[schedule] = measurement_of(*r);
  return out;
}

}  // namespace

Batch RecordedMeasurer::measure(const Space& space, const std::vector<Schedule>& schedules, const CancelToken& cancel) {
  Batch whole;
  whole.anchor_schedule = space.constructive().schedule();
  const uint64_t anchor = hash(whole.anchor_schedule);
  Measurements results;
  if (records_) results = read(*records_, space, anchor);
  if (const auto at = results.find(anchor); at != results.end()) whole.anchor = at->second;
  std::vector<Schedule> open;
  for (const Schedule& s : schedules)
    if (!results.contains(hash(s))) open.push_back(s);
  known_ += static_cast<int>(schedules.size() - open.size());
  for (size_t begin = 0; begin < open.size(); begin += kMostAtOnce) {
    cancel.check();
    const size_t end = std::min(open.size(), begin + kMostAtOnce);
    const std::vector<Schedule> part(open.begin() + static_cast<std::ptrdiff_t>(begin),
                                     open.begin() + static_cast<std::ptrdiff_t>(end));
    Batch batch = measurer_.measure(space, part, cancel);
    TLM_CHECK(batch.programs.size() == part.size());
    if (records_) records_->append(batch_records(space, part, batch, origin_, seed_));
    measured_ += static_cast<int>(part.size());
    for (size_t i = 0; i < part.size(); ++i) results[hash(part[i])] = std::move(batch.programs[i]);
    whole = std::move(batch);
  }
  whole.programs.clear();
  for (const Schedule& s : schedules) {
    Measurement m = results.at(hash(s));
    if (m.ratio > 0 && whole.anchor.timed()) m.median_ms = whole.anchor.median_ms / m.ratio;
    whole.programs.push_back(std::move(m));
  }
  return whole;
}

}  // namespace tlm::space
