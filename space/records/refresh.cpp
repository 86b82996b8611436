#include "tlm/space/records/refresh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"

namespace tlm::space {
namespace {

// The space of records as they are written today; null: its target is not for this machine.
std::shared_ptr<const Space> space_of(const Record& r, const std::function<bool(const Target&)>& measurable,
                                      const std::string& file) {
  const Target target = parse_target_json(r.target, file);
  if (measurable && !measurable(target)) return nullptr;
  return Space::build(ir::parse_subgraph(r.workload), target);
}

// The whole schedule that `text` stands for in the space of today; none: it is not legal any more.
std::optional<Schedule> as_of_today(const Space& space, const std::string& text) {
  try {
    const Result<Walk> walk = space.replay(parse_schedule(text));
    if (walk.ok()) return walk->schedule();
  } catch (const Error&) {
    // no schedule at all
  }
  return std::nullopt;
}

double quantile(std::vector<double> v, double q) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[static_cast<size_t>(q * static_cast<double>(v.size() - 1) + 0.5)];
}

double variance(const std::vector<double>& v) {
  double mean = 0, sum = 0;
  for (const double x : v) mean += x / static_cast<double>(v.size());
  for (const double x : v) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(v.size() - 1);
}

// What refresh measures of one workload and target.
class WorkloadRefresh {
 public:
  WorkloadRefresh(RecordStore& store, Measurer& measurer, const RefreshOptions& options, const WorkloadSummary& w)
      : store_(store), measurer_(measurer), options_(options), workload_(w) {}

  void run(RefreshResult& result) {
    bool measured = false;
    for (bool first = true;; first = false) {
      const std::vector<RankedSchedule> best = store_.best(workload_.workload_hash, workload_.target_hash, options_.top);
      if (best.empty()) break;
      if (!space_) space_ = space_of(best[0].record, options_.measurable, store_.file().string());
      if (!space_) {
        ++result.foreign;
        return;
      }
      const std::vector<Schedule> again = to_measure(best, first);
      if (again.empty()) break;
      const Batch batch = measurer_.measure(*space_, again, options_.cancel);
      TLM_CHECK(batch.emitter_version == options_.emitter_version) << batch.emitter_version;
      store_.append(batch_records(*space_, again, batch, "refresh", 0));
      result.schedules += static_cast<int>(again.size());
      measured = true;
      if (options_.all) break;
    }
    ++(measured ? result.workloads : result.current);
  }

 private:
  // All of them, or none if none is stale. Later, when others have taken the places of those that turned out slower: these
  // others, and the best.
  std::vector<Schedule> to_measure(const std::vector<RankedSchedule>& best, bool first) {
    std::set<std::string> current;  // measured by this emitter, with whatever result
    for (const Record& r : store_.of_workload(workload_.workload_hash, workload_.target_hash))
      if (r.emitter_version == options_.emitter_version) current.insert(r.schedule);
    std::vector<Schedule> again;
    bool stale = first && options_.all;
    for (const RankedSchedule& r : best) {
      const std::optional<Schedule> s = as_of_today(*space_, r.record.schedule);
      if (!s) {
        if (first)
          options_.log.warning("workload " + to_hex(workload_.workload_hash) + ": no longer in the space: " + r.record.schedule);
        continue;
      }
      const bool this_one = !current.contains(print(*s));
      stale = stale || this_one;
      const bool wanted = first || this_one || again.empty();
      if (wanted && std::find(again.begin(), again.end(), *s) == again.end()) again.push_back(*s);
    }
    return stale ? again : std::vector<Schedule>();
  }

  RecordStore& store_;
  Measurer& measurer_;
  const RefreshOptions& options_;
  const WorkloadSummary& workload_;
  std::shared_ptr<const Space> space_;
};

}  // namespace

RefreshResult refresh(RecordStore& store, Measurer& measurer, const RefreshOptions& options) {
  const std::vector<WorkloadSummary> workloads = store.workloads();
  RefreshResult result;
  ProgressTask task(options.progress ? *options.progress : no_progress(), "refresh", static_cast<int64_t>(workloads.size()));
  for (const WorkloadSummary& w : workloads) {
    options.cancel.check();
    WorkloadRefresh(store, measurer, options, w).run(result);
    task.advance(1, w.name);
  }
  return result;
}

Noise measure_noise(RecordStore& store, Measurer& measurer, const NoiseOptions& options) {
  struct Chosen {
    std::shared_ptr<const Space> space;
    std::vector<Schedule> schedules;
    std::string name;
  };
  std::vector<WorkloadSummary> workloads = store.workloads();
  std::vector<Chosen> chosen;
  size_t left = workloads.size();
  int wanted = options.programs;
  double due = 0;  // programs: fewer than one of a workload where there are more workloads than programs
  for (const WorkloadSummary& w : workloads) {
    due += (wanted - due) / static_cast<double>(left--);
    const int share = std::min(wanted, static_cast<int>(due + 1e-6));
    due -= share;
    const std::vector<RankedSchedule> ranked = store.best(w.workload_hash, w.target_hash, 1 << 20);
    if (ranked.empty() || share == 0) continue;
    const auto space = space_of(ranked[0].record, options.measurable, store.file().string());
    if (!space) continue;
    Chosen c{space, {}, w.name};
    const Schedule anchor = space->constructive().schedule();
    const auto n = static_cast<int>(ranked.size());
    for (int i = 0; i < std::min(share, n); ++i) {  // from the best to the last, evenly; one alone: of another rank each time
      const auto rank = static_cast<size_t>(share >= n  ? i
                                            : share > 1 ? i * (n - 1) / (share - 1)
                                                        : chosen.size() % ranked.size());
      const auto s = as_of_today(*space, ranked[rank].record.schedule);
      if (s && *s != anchor) c.schedules.push_back(*s);  // the anchor's ratio is always 1
    }
    wanted -= static_cast<int>(c.schedules.size());
    if (!c.schedules.empty()) chosen.push_back(std::move(c));
  }

  Noise noise;
  std::map<std::pair<size_t, size_t>, std::vector<double>> logs;  // by workload and schedule: one for each occasion
  ProgressTask task(options.progress ? *options.progress : no_progress(), "measure again",
                    static_cast<int64_t>(chosen.size()) * options.occasions);
  for (int occasion = 0; occasion < options.occasions; ++occasion)
    for (size_t c = 0; c < chosen.size(); ++c) {
      const Batch batch = measurer.measure(*chosen[c].space, chosen[c].schedules, options.cancel);
      store.append(batch_records(*chosen[c].space, chosen[c].schedules, batch, "noise", static_cast<uint64_t>(occasion)));
      noise.unsteady_batches += batch.unsteady;
      for (size_t s = 0; s < batch.programs.size(); ++s)
        if (batch.programs[s].status == MeasureStatus::kOk && batch.programs[s].ratio > 0)
          logs[{c, s}].push_back(std::log(batch.programs[s].ratio));
      task.advance(1, chosen[c].name);
    }
  std::vector<double> sigmas;
  std::set<size_t> seen;
  double sum = 0;
  for (const auto& [key, values] : logs) {
    if (static_cast<int>(values.size()) < options.occasions || values.size() < 2) continue;
    const double v = variance(values);
    sum += v;
    sigmas.push_back(std::sqrt(v));
    seen.insert(key.first);
  }
  noise.programs = static_cast<int>(sigmas.size());
  noise.workloads = static_cast<int>(seen.size());
  noise.sigma = sigmas.empty() ? 0 : std::sqrt(sum / static_cast<double>(sigmas.size()));
  noise.median_sigma = quantile(sigmas, 0.5);
  noise.p90_sigma = quantile(sigmas, 0.9);
  return noise;
}

}  // namespace tlm::space
