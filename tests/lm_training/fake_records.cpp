#include "tests/lm_training/fake_records.h"

#include "tests/space/workloads.h"
#include "tlm/core/rng.h"
#include "tlm/space/search/features.h"

namespace tlm::lm::test {

using space::Record;

double fake_ms(const space::Walk& walk) { return space::features(walk).model_cycles * 1e-6; }

std::vector<Record> fake_records(const std::shared_ptr<const space::Space>& space, int count, uint64_t seed) {
  const space::Walk anchor = space->constructive();
  const double anchor_ms = fake_ms(anchor);
  space::Batch batch;
  batch.id = "fake " + std::to_string(ir::workload_hash(space->subgraph())) + " " + std::to_string(seed);
  batch.anchor_schedule = anchor.schedule();
  batch.anchor = {space::MeasureStatus::kOk, "", {anchor_ms}, anchor_ms, 1, 0};
  batch.emitter_version = 1;
  Rng rng(seed);
  std::vector<space::Schedule> schedules;
  for (int i = 0; i < count; ++i) {
    space::Walk w = space->walk();
    while (!w.done()) w.choose(static_cast<int>(rng.below(w.decision().candidates.size())));
    const double ms = fake_ms(w);
    schedules.push_back(w.schedule());
    batch.programs.push_back({space::MeasureStatus::kOk, "", {ms}, ms, anchor_ms / ms, 0});
  }
  return space::batch_records(*space, schedules, batch, "random", seed);
}

std::vector<std::shared_ptr<const space::Space>> product_spaces(space::Split split, int count) {
  std::vector<std::shared_ptr<const space::Space>> spaces;
  Rng rng(7);
  const Target target = named_target("x86-64-v3");
  while (static_cast<int>(spaces.size()) < count) {
    const auto size = [&] { return int64_t{8} << rng.below(6); };
    const int64_t m = size() + 8 * static_cast<int64_t>(rng.below(3)), n = size(), k = size();
    ir::Subgraph g = space::test::matmul(m, n, k);
    if (space::split_of(space::split_key(g)) == split) spaces.push_back(space::Space::build(std::move(g), target));
  }
  return spaces;
}

std::vector<LabelledWorkload> fake_labels(const std::vector<std::shared_ptr<const space::Space>>& spaces, int count) {
  Labels labels;
  for (size_t i = 0; i < spaces.size(); ++i)
    for (const Record& r : fake_records(spaces[i], count, i)) labels.add(r);
  return labels.take();
}

}  // namespace tlm::lm::test
