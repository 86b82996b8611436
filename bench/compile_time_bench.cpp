// Steps of a compilation, without the C compiler: ResNet-50, all distinct subgraphs.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <vector>

#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/source/source_c.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/space/language/sentence.h"
#include "tlm/space/space.h"
#include "tlm/tools/zoo/zoo.h"

namespace {

// One subgraph for each workload.
const std::vector<tlm::ir::Subgraph>& subgraphs() {
  static const std::vector<tlm::ir::Subgraph> all = [] {
    tlm::ir::Graph g = tlm::tools::make_zoo("resnet50");
    tlm::ir::run_graph_passes(g);
    std::map<uint64_t, tlm::ir::Subgraph> distinct;
    for (tlm::ir::Step& s : tlm::ir::partition(g).steps)
      if (s.kind == tlm::ir::StepKind::kSubgraph) distinct.try_emplace(tlm::ir::workload_hash(s.subgraph), std::move(s.subgraph));
    std::vector<tlm::ir::Subgraph> list;
    for (auto& [hash, subgraph] : distinct) list.push_back(std::move(subgraph));
    return list;
  }();
  return all;
}

tlm::space::Walk default_walk(const tlm::ir::Subgraph& g) {
  return tlm::space::Space::build(g, tlm::named_target("x86-64-v3"))->constructive();
}

void Partition(benchmark::State& state) {
  tlm::ir::Graph g = tlm::tools::make_zoo("resnet50");
  tlm::ir::run_graph_passes(g);
  for (auto _ : state) benchmark::DoNotOptimize(tlm::ir::partition(g));
}
BENCHMARK(Partition)->Unit(benchmark::kMillisecond);

void DefaultSchedules(benchmark::State& state) {
  const auto& all = subgraphs();
  for (auto _ : state)
    for (const auto& g : all) benchmark::DoNotOptimize(default_walk(g));
}
BENCHMARK(DefaultSchedules)->Unit(benchmark::kMillisecond);

void Sentences(benchmark::State& state) {
  std::vector<tlm::space::Walk> walks;
  for (const auto& g : subgraphs()) walks.push_back(default_walk(g));
  for (auto _ : state)
    for (const auto& walk : walks) benchmark::DoNotOptimize(tlm::space::sentence_text(walk));
}
BENCHMARK(Sentences)->Unit(benchmark::kMillisecond);

void LoweringAndSource(benchmark::State& state) {
  std::vector<tlm::space::Walk> walks;
  for (const auto& g : subgraphs()) walks.push_back(default_walk(g));
  for (auto _ : state)
    for (const auto& walk : walks) {
      const tlm::ir::Kernel kernel = tlm::codegen::lower(walk.subgraph(), walk.plan(), walk.space().target());
      const tlm::ir::Kernel* kernels[] = {&kernel};
      const uint32_t entries[] = {0};
      benchmark::DoNotOptimize(tlm::codegen::write_c(kernels, entries, walk.space().target()));
    }
}
BENCHMARK(LoweringAndSource)->Unit(benchmark::kMillisecond);

}  // namespace
