#include "fake_measurer.h"

#include "tests/space/workloads.h"
#include "tests/space_search/synthetic_latency.h"

namespace tlm::eval::test {

using space::Measurement;
using space::MeasureStatus;

space::Batch FakeMeasurer::measure(const space::Space& space, const std::vector<space::Schedule>& schedules,
                                   const CancelToken& cancel) {
  cancel.check();
  const space::test::SyntheticLatency latency(space);
  ++batches;
  asked.push_back(schedules);
  space::Batch b;
  b.id = "batch " + std::to_string(batches) + " of " + std::to_string(reinterpret_cast<uintptr_t>(this));
  b.anchor_schedule = space.constructive().schedule();
  const auto measured = [&](const space::Schedule& s) {
    Measurement m;
    double ms = latency.ms(s);
    if (change) ms = change(s, ms);
    m.source_hash = hash(s);
    if (program) m.source_hash = program(s, m.source_hash);
    m.status = ms > 0 ? MeasureStatus::kOk : MeasureStatus::kWrong;
    if (ms <= 0) return m;
    m.samples_ms = {ms, ms, ms};
    m.median_ms = ms;
    return m;
  };
  b.anchor = measured(b.anchor_schedule);
  for (const space::Schedule& s : schedules) b.programs.push_back(measured(s));
  b.anchor.ratio = 1;
  for (Measurement& m : b.programs)
    if (m.timed()) m.ratio = b.anchor.median_ms / m.median_ms;
  b.before = b.after = {100, 10};
  b.compiler = "none";
  b.emitter_version = 1;
  b.date = "2025-01-31T12:00:00Z";
  return b;
}

std::vector<EvalWorkload> small_list() {
  std::vector<EvalWorkload> list = {
      {"conv", "window", "network:a", 2, space::test::convolution(14, 32, 32, 3, 1), 0},
      {"product", "product", "interpolated", 1, space::test::matmul(64, 128, 96), 0},
      {"softmax", "row-wise", "extrapolated", 1, space::test::softmax(96, 197), 0},
  };
  for (EvalWorkload& w : list) w.hash = ir::workload_hash(w.subgraph);
  return list;
}

Target machine() { return named_target("x86-64-v3"); }

}  // namespace tlm::eval::test
