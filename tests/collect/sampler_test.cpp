#include "tlm/tools/collect/workload_sampler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tlm/space/records/exclusion.h"
#include "tlm/space/records/split_key.h"
#include "tlm/tools/collect/workload_list.h"

namespace tlm::collect {
namespace {

using Kind = space::WorkloadKind;

TEST(WorkloadSampler, FollowsFromSeedAndIndex) {
  const WorkloadSampler a(7), b(7), other(8);
  int differ = 0;
  for (int64_t i : {3, 0, 11, 3}) {
    EXPECT_EQ(ir::print(a.at(i).subgraph), ir::print(b.at(i).subgraph)) << i;
    differ += ir::workload_hash(a.at(i).subgraph) != ir::workload_hash(other.at(i).subgraph);
  }
  EXPECT_GE(differ, 3);
}

TEST(WorkloadSampler, WorkloadsAreSoundAffordableAndOfTheirKind) {
  for (const SizeRange range : {SizeRange::kTraining, SizeRange::kBeyond}) {
    const WorkloadSampler sampler(1, range);
    for (int64_t i = 0; i < 150; ++i) {
      const SampledWorkload w = sampler.at(i);
      EXPECT_NO_THROW(ir::verify(w.subgraph)) << w.name;
      EXPECT_EQ(space::workload_kind(w.subgraph), w.kind) << w.name;
      EXPECT_LE(ir::flops(w.subgraph), 1e9) << w.name;
      EXPECT_LE(ir::port_bytes(w.subgraph), 4e7) << w.name;
      EXPECT_FALSE(w.name.starts_with("around.")) << w.name;
    }
    for (const Kind kind : space::workload_kinds()) EXPECT_EQ(sampler.at(5, kind).kind, kind);
  }
}

// Layouts and views are those that the graph passes give real networks.
TEST(WorkloadSampler, WindowsAreChannelsLast) {
  const WorkloadSampler sampler(1);
  int channels_last = 0, with_epilogue = 0, in_place = 0;
  for (int64_t i = 0; i < 60; ++i) {
    const ir::Subgraph g = sampler.at(i, Kind::kWindow).subgraph;
    bool first = false, part = false;
    for (const ir::TensorDecl& t : g.tensors) {
      if (t.role == ir::TensorRole::kInput && t.strides.size() == 3) first = first || t.strides[0] == 1;
      if (t.role == ir::TensorRole::kOutput) part = part || t.buffer_elements > element_count(t.shape);
    }
    channels_last += first;
    in_place += part;
    with_epilogue += g.stages.size() > 2;
  }
  EXPECT_GT(channels_last, 45);
  EXPECT_GT(with_epilogue, 30);
  EXPECT_GT(in_place, 2);
}

TEST(WorkloadSampler, HasEnoughToLearnFromOfEachKind) {
  const WorkloadSampler sampler(0);
  const space::Exclusion excluded = read_exclusion(std::string(TLM_SOURCE_DIR) + "/lm/data");
  std::set<uint64_t> distinct;
  std::map<Kind, int> kinds;
  for (int64_t i = 0; i < 1800; ++i) {
    const SampledWorkload w = sampler.at(i);
    if (excluded.obstacle(w.subgraph).empty() && distinct.insert(ir::workload_hash(w.subgraph)).second) ++kinds[w.kind];
  }
  EXPECT_GE(distinct.size(), 1000u);
  for (const Kind kind : space::workload_kinds()) EXPECT_GE(kinds[kind], 25) << space::workload_kind_name(kind);
}

}  // namespace
}  // namespace tlm::collect
