#include "tlm/tools/eval/rivals/training_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fake_measurer.h"
#include "tlm/space/records/split_key.h"
#include "tlm/space/search/top_k.h"

namespace tlm::eval::test {
namespace {

using space::Record;

uint64_t key_of_the_training_split() {
  uint64_t key = 0;
  while (space::split_of(key) != space::Split::kTrain) ++key;
  return key;
}

// Two workloads with draws, measured in three batches each.
std::vector<Record> some_records() {
  std::vector<Record> all;
  for (const EvalWorkload& w : {small_list()[0], small_list()[1]}) {
    const auto space = space_of(w, machine());
    const std::vector<space::Schedule> draws = space::random_draws(space, 6, 1);
    FakeMeasurer measurer;
    for (double factor : {1.0, 2.0, 1.1}) {
      measurer.change = [&](const space::Schedule& s, double ms) { return s == draws[2] ? ms * factor : s == draws[3] ? 0 : ms; };
      for (Record& r : space::batch_records(*space, draws, measurer.measure(*space, draws, {}), "random", 0)) {
        r.split_key = key_of_the_training_split();
        all.push_back(std::move(r));
      }
    }
  }
  return all;
}

std::vector<lm::LabelledWorkload> labelled(const std::vector<Record>& records) {
  lm::Labels labels;
  for (const Record& r : records) labels.add(r);
  return labels.take();
}

TEST(TrainingData, ProgramsWithTheLabelsOfModels) {
  const std::vector<Record> records = some_records();
  const std::vector<TrainingWorkload> all =
      lm::measured_workloads(labelled(records), [](const ir::Subgraph&, const Target&) { return std::string(); });
  ASSERT_EQ(all.size(), 2u);
  for (const TrainingWorkload& w : all) {
    EXPECT_EQ(w.programs.size(), 6u);  // the wrong one is out, the constructive one is in
    for (size_t i = 1; i < w.programs.size(); ++i) EXPECT_GE(w.programs[i - 1].log_ratio, w.programs[i].log_ratio);
  }
  const uint64_t first = small_list()[0].hash;
  const TrainingWorkload& w = all[ir::workload_hash(all[0].subgraph) == first ? 0 : 1];
  ASSERT_EQ(ir::workload_hash(w.subgraph), first);
  EXPECT_EQ(space::target_hash(w.target), space::target_hash(target_of(small_list()[0], machine())));
  const auto at = std::find_if(w.programs.begin(), w.programs.end(),
                               [&](const TrainingProgram& p) { return p.schedule == records[2].schedule; });
  ASSERT_NE(at, w.programs.end());
  EXPECT_NEAR(at->log_ratio, std::log(records[2].ratio) - std::log(1.1), 1e-6);  // the median of its batches
}

TEST(TrainingData, NothingIsLearnedFromWhatIsHeldOut) {
  const uint64_t held_out = small_list()[0].hash;
  const std::vector<TrainingWorkload> all = lm::measured_workloads(
      labelled(some_records()),
      [&](const ir::Subgraph& g, const Target&) { return std::string(ir::workload_hash(g) == held_out ? "held out" : ""); });
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(ir::workload_hash(all[0].subgraph), small_list()[1].hash);
}

}  // namespace
}  // namespace tlm::eval::test
