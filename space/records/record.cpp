#include "tlm/space/records/record.h"

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/space/records/split_key.h"
#include "tlm/space/version.h"

namespace tlm::space {
namespace {

std::string nameless_json(Target target) {
  target.name.clear();
  return target_json(target);
}

void set_measurement(Record& r, const Schedule& s, const Measurement& m) {
  r.schedule = print(s);
  r.schedule_hash = hash(s);
  r.source_hash = m.source_hash;
  r.status = m.status;
  r.reason = m.reason;
  r.samples_ms = m.samples_ms;
  r.median_ms = m.median_ms;
  r.ratio = m.ratio;
}

}  // namespace

Measurement measurement_of(const Record& r) {
  Measurement m;
  m.source_hash = r.source_hash;
  m.status = r.status;
  m.reason = r.reason;
  m.samples_ms = r.samples_ms;
  m.median_ms = r.median_ms;
  m.ratio = r.ratio;
  return m;
}

uint64_t target_hash(const Target& target) { return Hasher().text("target 1").text(nameless_json(target)).value(); }

std::vector<Record> batch_records(const Space& space, const std::vector<Schedule>& schedules, const Batch& batch,
                                  const std::string& origin, uint64_t seed) {
  TLM_CHECK(schedules.size() == batch.programs.size())
      << schedules.size() << " schedules, " << batch.programs.size() << " results";
  Record common;
  common.workload = ir::print(space.subgraph());
  common.workload_hash = ir::workload_hash(space.subgraph());
  common.split_key = split_key(space.subgraph());
  common.target = nameless_json(space.target());
  common.target_hash = target_hash(space.target());
  common.batch = batch.id;
  common.before = batch.before;
  common.after = batch.after;
  common.repeats = batch.repeats;
  common.unsteady = batch.unsteady;
  common.threads = batch.threads;
  common.cache_state = batch.cache_state;
  common.compiler = batch.compiler;
  common.flags = batch.flags;
  common.space_version = kSpaceVersion;
  common.emitter_version = batch.emitter_version;
  common.date = batch.date;

  std::vector<Record> records;
  bool with_anchor = false;
  for (size_t i = 0; i < schedules.size(); ++i) {
    Record r = common;
    set_measurement(r, schedules[i], batch.programs[i]);
    r.origin = origin;
    r.seed = seed;
    with_anchor = with_anchor || schedules[i] == batch.anchor_schedule;
    records.push_back(std::move(r));
  }
  if (!with_anchor) {
    Record r = common;
    set_measurement(r, batch.anchor_schedule, batch.anchor);
    r.origin = "constructive";
    records.push_back(std::move(r));
  }
  return records;
}

}  // namespace tlm::space
