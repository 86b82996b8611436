#include "tlm/tools/engine/model_search.h"

#include <optional>

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

// Up to options.search.measure proposals for each workload are measured.
space::SearchResult best_of_proposals(const std::vector<space::SearchWorkload>& open, space::Measurer& measurer,
                                      space::RecordStore* records, const EngineOptions& options, std::optional<LmUse>& use) {
  const std::string scheduler = resolved_scheduler(options);
  std::unique_ptr<space::Scheduler> model;
  std::vector<std::vector<space::Schedule>> proposals;
  if (scheduler == "lm") {
    std::vector<std::shared_ptr<const space::Space>> spaces;
    for (const space::SearchWorkload& w : open) spaces.push_back(w.space);
    model = make_scheduler(options, options.search.measure);
    proposals = model->schedule(spaces);
  } else {
    for (const space::SearchWorkload& w : open) {
      options.cancel.check();
      proposals.push_back(scheduler == "random" ? space::random_draws(w.space, options.search.measure, options.seed)
                                                : space::constructive_variations(w.space, options.search.measure));
    }
  }
  space::TopKOptions top;
  top.origin = model ? model->name() : scheduler;
  top.seed = scheduler == "constructive" ? 0 : options.seed;
  top.cancel = options.cancel;
  top.progress = options.progress;
  space::SearchResult result = space::measure_top_k(open, proposals, measurer, records, top);
  if (model) {
    std::vector<space::Schedule> taken;
    for (const space::SearchOutcome& o : result.workloads) taken.push_back(o.schedule);
    tell_taken(*model, taken);
    use = lm_use(*model, resolved_decode(options.lm, options.search.measure));
  }
  return result;
}

}  // namespace

ModelSearch search_model(const ir::Graph& g, const std::map<uint64_t, space::Schedule>& given, const EngineOptions& options,
                         std::optional<LmUse>& use) {
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
  const std::shared_ptr<space::Measurer> measurer = engine_measurer(options);
  space::RecordStore* store = records ? &*records : nullptr;
  space::SearchResult result = options.scheduler == "search" ? search(open, *measurer, store, options)
                                                             : best_of_proposals(open, *measurer, store, options, use);
  for (size_t i = 0; i < open.size(); ++i) out.workloads[hashes[i]] = std::move(result.workloads[i]);
  out.measured = result.measured;
  out.seconds = result.seconds;
  out.network_ms = result.network_ms;
  out.anchor_ms = result.anchor_ms;
  return out;
}

}  // namespace tlm
