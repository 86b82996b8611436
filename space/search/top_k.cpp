#include "tlm/space/search/top_k.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <tuple>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/space/records/recorded_measurer.h"
#include "tlm/space/scheduler.h"

namespace tlm::space {
namespace {

// How much of the variance of log time a kind of decision explains, roughly: lower is more. Structure comes first.
int importance(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kMicro: return 1;
    case DecisionKind::kOrder: return 2;
    case DecisionKind::kTile: return 3;
    case DecisionKind::kUnroll: return 4;
    case DecisionKind::kInner: return 5;
    case DecisionKind::kPack: return 6;
    case DecisionKind::kPrefetch: return 6;
    case DecisionKind::kParallel: return 7;
    case DecisionKind::kAttach: return 8;
    case DecisionKind::kReduce: return 9;
    case DecisionKind::kTail: return 10;
    default: return 0;
  }
}

// Decisions in the order in which they are varied: those of stages that hardly compute anything come last.
std::vector<size_t> by_importance(const std::vector<Walk>& prefixes) {
  std::vector<std::tuple<bool, int, double>> keys;
  for (const Walk& w : prefixes) {
    const std::vector<ir::Stage>& stages = w.subgraph().stages;  // numbers of stages change with the algorithm
    double most = 0;
    for (const ir::Stage& s : stages) most = std::max(most, ir::flops(s));
    const double flops = ir::flops(stages[static_cast<size_t>(w.decision().stage)]);
    keys.emplace_back(flops < 0.05 * most, importance(w.decision().kind), -flops);
  }
  std::vector<size_t> order(prefixes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return order;
}

void add_new(std::vector<Schedule>& list, Schedule s) {
  if (std::find(list.begin(), list.end(), s) == list.end()) list.push_back(std::move(s));
}

}  // namespace

std::vector<Schedule> constructive_variations(const std::shared_ptr<const Space>& space, int k) {
  std::vector<Walk> prefixes;  // before each decision
  Walk walk = space->walk();
  while (!walk.done()) {
    prefixes.push_back(walk);
    walk.choose(walk.constructive());
  }
  std::vector<Schedule> all = {walk.schedule()};
  const std::vector<size_t> order = by_importance(prefixes);
  bool more = true;
  for (int rank = 1; more && static_cast<int>(all.size()) < k; ++rank) {
    more = false;
    for (const size_t d : order) {
      if (static_cast<int>(all.size()) >= k) break;
      const std::vector<int> ranking = prefixes[d].ranking(rank + 1);
      if (static_cast<int>(ranking.size()) <= rank) continue;
      more = true;
      Walk varied = prefixes[d];
      varied.choose(ranking.back());
      varied.complete();
      add_new(all, varied.schedule());
    }
  }
  return all;
}

std::vector<Schedule> random_draws(const std::shared_ptr<const Space>& space, int k, uint64_t seed) {
  std::vector<Schedule> all;
  for (int i = 0; i < 4 * k && static_cast<int>(all.size()) < k; ++i) {
    const uint64_t draw = i == 0 ? seed : Hasher().text("draw").number(static_cast<int64_t>(seed)).number(i).value();
    add_new(all, make_random_scheduler(draw)->schedule({space}).at(0).at(0));
  }
  return all;
}

SearchResult measure_top_k(const std::vector<SearchWorkload>& workloads, const std::vector<std::vector<Schedule>>& proposals,
                           Measurer& measurer, RecordStore* records, const TopKOptions& options) {
  TLM_CHECK(workloads.size() == proposals.size());
  const auto begin = std::chrono::steady_clock::now();
  ProgressTask progress(options.progress ? *options.progress : no_progress(), "measure", static_cast<int64_t>(workloads.size()));
  RecordedMeasurer recorded(measurer, records, options.origin, options.seed);
  SearchResult result;
  for (size_t w = 0; w < workloads.size(); ++w) {
    options.cancel.check();
    const std::vector<Schedule>& list = proposals[w];
    const int before = recorded.measured();
    const Batch batch = recorded.measure(*workloads[w].space, list, options.cancel);
    SearchOutcome o;
    // Proposals that cannot be timed do not go into a package.
    o.schedule = batch.anchor_schedule;
    o.ratio = batch.anchor.ratio;
    o.best_ms = batch.anchor.median_ms;
    o.trials = static_cast<int>(list.size());
    o.measured = recorded.measured() - before;
    for (size_t i = 0; i < list.size(); ++i) {
      const Measurement& m = batch.programs[i];
      if (m.status != MeasureStatus::kOk || (o.best_ms > 0 && m.median_ms > o.best_ms)) continue;
      o.schedule = list[i];
      o.ratio = m.ratio;
      o.best_ms = m.median_ms;
    }
    result.measured += o.measured;
    result.network_ms += o.best_ms * workloads[w].count;
    result.anchor_ms += batch.anchor.median_ms * workloads[w].count;
    result.workloads.push_back(std::move(o));
    progress.advance(1, workloads[w].name);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace tlm::space
