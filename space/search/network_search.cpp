#include "tlm/space/search/network_search.h"
#include "tlm/core/median.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>

#include "tlm/core/error.h"
#include "tlm/space/search/evolutionary.h"
#include "tlm/space/search/task_scheduler.h"

namespace tlm::space {
namespace {

std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, ms < 10 ? "%.3f ms" : "%.2f ms", ms);
  return text;
}

// One workload under search.
struct Task {
  EvolutionarySearch search;
  int count = 1;
  std::string name;
  std::vector<double> anchor_ms;  // of each batch
  int measured = 0;

  // Latencies of different batches cannot be compared; ratios can.
  double best_ms() const { return median(anchor_ms) / search.best_ratio(); }
};

class NetworkSearch {
 public:
  NetworkSearch(const std::vector<SearchWorkload>& workloads, Measurer& measurer, RecordStore* records,
                const SearchOptions& options)
      : measurer_(measurer), records_(records), options_(options) {
    for (const SearchWorkload& w : workloads) {
      options_.cancel.check();
      EvolutionOptions evolution;
      evolution.seed = options.seed;
      tasks_.push_back({EvolutionarySearch(w.space, evolution), w.count, w.name, {}, 0});
      if (records_) read_records(tasks_.back());
    }
  }

  SearchResult run() {
    const auto begin = std::chrono::steady_clock::now();
    measure_all();
    confirm();
    SearchResult result;
    for (Task& t : tasks_) {
      SearchOutcome o;
      o.schedule = t.search.best();
      o.ratio = t.search.best_ratio();
      o.best_ms = t.best_ms();
      o.trials = t.search.trials();
      o.measured = t.measured;
      result.measured += t.measured;
      result.network_ms += o.best_ms * t.count;
      result.anchor_ms += median(t.anchor_ms) * t.count;
      result.workloads.push_back(std::move(o));
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }

 private:
  // Of several records of a schedule those of the newest emitter count, as in RecordStore::best.
  void read_records(Task& t) {
    const Space& space = t.search.space();
    const std::vector<Record> all = records_->of_workload(ir::workload_hash(space.subgraph()), target_hash(space.target()));
    std::map<uint64_t, int> newest;
    for (const Record& r : all) {
      int& version = newest[r.schedule_hash];
      version = std::max(version, r.emitter_version);
    }
    std::vector<double> implied;  // the time of the anchor of each record's batch
    for (const Record& r : all) {
      if (r.timed() && r.ratio > 0) implied.push_back(r.median_ms * r.ratio);
      if (r.emitter_version < newest[r.schedule_hash]) continue;
      const Schedule s = parse_schedule(r.schedule);
      if (s == t.search.anchor() && r.timed()) t.anchor_ms.push_back(r.median_ms);
      t.search.observe(s, r.ratio, r.status);
    }
    if (t.anchor_ms.empty()) t.anchor_ms = std::move(implied);  // today's constructive schedule is another one
  }

  // What was measured of other workloads on this target teaches the cost model, too.
  void read_others() {
    constexpr size_t kRows = 2000, kOfOne = 100;
    if (!records_ || tasks_.empty() || !options_.learn_from_others) return;
    std::set<uint64_t> own;
    for (const Task& t : tasks_) own.insert(ir::workload_hash(t.search.space().subgraph()));
    const Target& target = tasks_[0].search.space().target();
    std::vector<WorkloadSummary> all = records_->workloads();
    std::reverse(all.begin(), all.end());  // the newest first
    for (const WorkloadSummary& w : all) {
      if (w.target_hash != target_hash(target) || own.contains(w.workload_hash)) continue;
      if (other_rows_.size() >= kRows) break;
      options_.cancel.check();
      const std::vector<Record> records = records_->of_workload(w.workload_hash, w.target_hash);
      EvolutionarySearch other(Space::build(ir::parse_subgraph(records.at(0).workload), target), EvolutionOptions());
      for (size_t i = records.size() - std::min(records.size(), kOfOne); i < records.size(); ++i)
        other.observe(parse_schedule(records[i].schedule), records[i].ratio, records[i].status);
      other.add_rows(other_rows_, other_labels_);
    }
  }

  void measure_all() {
    std::vector<int> counts;
    for (const Task& t : tasks_) counts.push_back(t.count);
    TaskScheduler scheduler(counts, options_.trials);
    int64_t total = 0;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const Task& t = tasks_[i];
      if (t.search.trials() > 0) scheduler.record(static_cast<int>(i), t.search.trials(), t.best_ms());
      total += scheduler.budget(static_cast<int>(i));
    }
    if (total == 0) return;
    read_others();
    ProgressTask progress(options_.progress ? *options_.progress : no_progress(), "search", total);
    for (int i = scheduler.next(); i >= 0; i = scheduler.next()) {
      options_.cancel.check();
      Task& t = tasks_[static_cast<size_t>(i)];
      learn();
      const std::vector<Schedule> batch = t.search.propose(std::min(options_.batch, scheduler.budget(i)), model_);
      if (batch.empty()) {
        options_.log.debug(t.name + ": no further schedules, " + std::to_string(t.search.trials()) + " measured");
        progress.advance(scheduler.budget(i), estimate());
        scheduler.exhausted(i);
        continue;
      }
      measure(t, batch);
      scheduler.record(i, static_cast<int>(batch.size()), t.best_ms());
      progress.advance(static_cast<int64_t>(batch.size()), estimate());
    }
  }

  // The fastest of a workload were also the luckiest: they are measured once more, side by side. Not where all were so few that
  // they were side by side before.
  void confirm() {
    std::vector<Task*> open;
    for (Task& t : tasks_) {
      if (t.measured > 0 && t.search.trials() > options_.confirmed && options_.confirmed > 1) open.push_back(&t);
    }
    if (open.empty()) return;
    ProgressTask progress(options_.progress ? *options_.progress : no_progress(), "confirm", static_cast<int64_t>(open.size()));
    for (Task* t : open) {
      options_.cancel.check();
      const std::vector<Schedule> top = t->search.top(options_.confirmed);
      if (top.size() > 1) measure(*t, top);
      progress.advance(1, estimate());
    }
  }

  // Measures, records, then learns of it: what is not in the records never happened.
  void measure(Task& t, std::vector<Schedule> schedules) {
    const int before = t.search.trials();
    const auto holds = [&](const Schedule& s) { return std::find(schedules.begin(), schedules.end(), s) != schedules.end(); };
    if (t.search.best() != t.search.anchor() && !holds(t.search.best())) schedules.push_back(t.search.best());
    options_.log.debug("search: measuring " + std::to_string(schedules.size()) + " schedules of " + t.name);
    const Batch batch = measurer_.measure(t.search.space(), schedules, options_.cancel);
    TLM_CHECK(batch.programs.size() == schedules.size());
    if (records_) records_->append(batch_records(t.search.space(), schedules, batch, "search", options_.seed));
    options_.log.debug("search: batch " + batch.id + " is measured");
    if (batch.anchor.timed()) t.anchor_ms.push_back(batch.anchor.median_ms);
    t.search.observe(t.search.anchor(), batch.anchor.ratio, batch.anchor.status);
    for (size_t i = 0; i < schedules.size(); ++i) {
      const Measurement& m = batch.programs[i];
      t.search.observe(schedules[i], m.ratio, m.status);
      if (m.status == MeasureStatus::kOk || m.status == MeasureStatus::kSlow) continue;
      options_.log.debug(t.name + ": " + std::string(measure_status_name(m.status)) + ": " + m.reason + "\n  " +
                         print(schedules[i]));
    }
    t.measured += t.search.trials() - before;
  }

  void learn() {
    std::vector<std::vector<float>> rows = other_rows_;
    std::vector<float> labels = other_labels_;
    for (const Task& t : tasks_) t.search.add_rows(rows, labels);
    constexpr size_t kEnough = 16;
    if (rows.size() >= kEnough) model_.fit(rows, labels);
  }

  // "23.1 ms, 1.42 times as fast as unmeasured"
  std::string estimate() const {
    double best = 0, anchor = 0;
    for (const Task& t : tasks_) {
      if (t.anchor_ms.empty()) return "";  // nothing is known of it yet
      best += t.best_ms() * t.count;
      anchor += median(t.anchor_ms) * t.count;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", anchor / best);
    return "network " + milliseconds(best) + ", " + text + " times the constructive schedules' speed";
  }

  Measurer& measurer_;
  RecordStore* records_;
  const SearchOptions& options_;
  std::vector<Task> tasks_;
  std::vector<std::vector<float>> other_rows_;  // of workloads that are not searched
  std::vector<float> other_labels_;
  CostModel model_;
};

}  // namespace

SearchResult search_network(const std::vector<SearchWorkload>& workloads, Measurer& measurer, RecordStore* records,
                            const SearchOptions& options) {
  return NetworkSearch(workloads, measurer, records, options).run();
}

}  // namespace tlm::space
