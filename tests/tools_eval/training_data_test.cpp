#include "tlm/tools/eval/rivals/training_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fake_measurer.h"
#include "tlm/space/search/top_k.h"

namespace tlm::eval::test {
namespace {

using space::MeasureStatus;
using space::Record;

// Two workloads with draws, measured in three batches each.
std::vector<Record> some_records() {
  std::vector<Record> all;
  for (const EvalWorkload& w : {small_list()[0], small_list()[1]}) {
    const auto space = space_of(w, machine());
    const std::vector<space::Schedule> draws = space::random_draws(space, 6, 1);
    FakeMeasurer measurer;
    for (double factor : {1.0, 2.0, 1.1}) {
      measurer.change = [&](const space::Schedule& s, double ms) { return s == draws[2] ? ms * factor : s == draws[3] ? 0 : ms; };
      for (Record& r : space::batch_records(*space, draws, measurer.measure(*space, draws, {}), "random", 0))
        all.push_back(std::move(r));
    }
  }
  return all;
}

TEST(TrainingData, MediansByProgramFastestFirst) {
  std::vector<Record> records = some_records();
  const auto take = [&] {
    TrainingData data([](const ir::Subgraph&, const Target&) { return std::string(); });
    for (const Record& r : records) data.add(r);
    return data.take();
  };
  const std::vector<TrainingWorkload> all = take();
  ASSERT_EQ(all.size(), 2u);
  for (const TrainingWorkload& w : all) {
    EXPECT_EQ(w.programs.size(), 6u);  // the wrong one is out, the constructive one is in
    for (size_t i = 1; i < w.programs.size(); ++i) EXPECT_GE(w.programs[i - 1].log_ratio, w.programs[i].log_ratio);
  }
  const std::string changed = records[2].schedule;
  const auto& programs = all[all[0].subgraph.stages.size() == small_list()[0].subgraph.stages.size() ? 0 : 1].programs;
  const auto at = std::find_if(programs.begin(), programs.end(), [&](const TrainingProgram& p) { return p.schedule == changed; });
  ASSERT_NE(at, programs.end());
  EXPECT_NEAR(at->log_ratio, std::log(records[2].ratio) - std::log(1.1), 1e-9);
  std::reverse(records.begin(), records.end());
  const std::vector<TrainingWorkload> again = take();
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t p = 0; p < all[i].programs.size(); ++p) EXPECT_EQ(again[i].programs[p].schedule, all[i].programs[p].schedule);
}

TEST(TrainingData, NothingIsLearnedFromWhatIsHeldOut) {
  const uint64_t held_out = small_list()[0].hash;
  TrainingData data(
      [&](const ir::Subgraph& g, const Target&) { return std::string(ir::workload_hash(g) == held_out ? "held out" : ""); });
  for (const Record& r : some_records()) data.add(r);
  EXPECT_EQ(data.held_out(), 21);
  const std::vector<TrainingWorkload> all = data.take();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(ir::workload_hash(all[0].subgraph), small_list()[1].hash);
}

}  // namespace
}  // namespace tlm::eval::test
