#include "samples.h"

#include "tlm/space/records/record_json.h"
#include "workloads.h"

namespace tlm::space::test {

std::shared_ptr<const Space> small_space(int64_t m) { return Space::build(matmul(m, 16, 16), named_target("x86-64-v3")); }

std::vector<Record> made_up_records(const std::string& batch, int count, int64_t m, int emitter_version) {
  const auto space = small_space(m);
  Batch b;
  b.id = batch;
  b.before = {100.125, 10.1};
  b.after = {1.0 / 3, 9.7};
  b.repeats = 1;
  b.unsteady = true;
  b.threads = 2;
  b.cache_state = "weights cold";
  b.compiler = "gcc 12";
  b.flags = "-O1";
  b.emitter_version = emitter_version;
  b.date = "2025-01-31T12:00:00Z";
  std::vector<Schedule> schedules;
  for (int i = 0; i < count; ++i) {
    schedules.push_back(parse_schedule("micro.s0=made-up" + std::to_string(i)));
    Measurement p;
    p.status = MeasureStatus::kOk;
    p.samples_ms = {0.1 + i, 0.2, 1e-9};
    p.ratio = 1 + i;
    p.median_ms = 1 / p.ratio;
    p.source_hash = ~uint64_t{0} - static_cast<uint64_t>(i);
    b.programs.push_back(p);
  }
  if (count > 0) b.anchor_schedule = schedules[0], b.anchor = b.programs[0];
  return batch_records(*space, schedules, b, "random", ~uint64_t{0});
}

std::string text_of(const Record& r) { return record_line(r); }

}  // namespace tlm::space::test
