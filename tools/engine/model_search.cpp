#include "tlm/tools/engine/model_search.h"

#include <optional>

#include "tlm/codegen/measure/measurer.h"
#include "tlm/codegen/workloads.h"
#include "tlm/ir/partition.h"
#include "tlm/space/search/top_k.h"
#include "tlm/tools/engine/engine.h"

namespace tlm {

namespace {

space::SearchResult search(const std::vector<space::SearchWorkload>& open, space::Measurer& measurer, space::RecordStore* records,
                           const EngineOptions& options) {
  space::SearchOptions search;
  search.trials = options.search.trials;
  search.seed = options.seed;
  search.cancel = options.cancel;
  search.progress = options.progress;
  search.log = options.log;
  return space::search_network(open, measurer, records, search);
}

space::SearchResult best_of_proposals(const std::vector<space::SearchWorkload>& open, space::Measurer& measurer,
                                      space::RecordStore* records, const EngineOptions& options) {
  const bool random = options.scheduler == "random";
  std::vector<std::vector<space::Schedule>> proposals;
  for (const space::SearchWorkload& w : open) {
    options.cancel.check();
    proposals.push_back(random ? space::random_draws(w.space, options.search.measure, options.seed)
                               : space::constructive_variations(w.space, options.search.measure));
  }
  space::TopKOptions top;
  top.origin = random ? "random" : "constructive";
  top.seed = random ? options.seed : 0;
  top.cancel = options.cancel;
  top.progress = options.progress;
  return space::measure_top_k(open, proposals, measurer, records, top);
}

}  // namespace

ModelSearch search_model(const ir::Graph& g, const std::map<uint64_t, space::Schedule>& given, const EngineOptions& options) {
  const ir::Partition partition = ir::partition(g);
  std::vector<int> workload_of;
  std::vector<space::SearchWorkload> open;
  std::vector<uint64_t> hashes;
  for (const codegen::Workload& w : codegen::distinct_workloads(partition, workload_of)) {
    if (given.contains(w.hash)) continue;
    open.push_back({space::Space::build(w.step->subgraph, options.target), w.count, w.step->name});
    hashes.push_back(w.hash);
  }
  ModelSearch out;
  if (open.empty()) return out;
  std::optional<space::RecordStore> records;
  if (!options.search.records.empty()) records.emplace(options.search.records);
  std::shared_ptr<space::Measurer> measurer = options.search.measurer;
  if (!measurer) {
    codegen::MeasureOptions measure;
    measure.jobs = options.jobs;
    measure.c_compiler = options.c_compiler;
    measure.log = options.log;
    measurer = codegen::make_measurer(std::move(measure));
  }
  const auto choose = options.scheduler == "search" ? search : best_of_proposals;
  space::SearchResult result = choose(open, *measurer, records ? &*records : nullptr, options);
  for (size_t i = 0; i < open.size(); ++i) out.workloads[hashes[i]] = std::move(result.workloads[i]);
  out.measured = result.measured;
  out.seconds = result.seconds;
  out.network_ms = result.network_ms;
  out.anchor_ms = result.anchor_ms;
  return out;
}

}  // namespace tlm
