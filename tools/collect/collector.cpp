#include "tlm/tools/collect/collector.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "tlm/core/error.h"
#include "tlm/core/stopwatch.h"
#include "tlm/space/search/top_k.h"
#include "tlm/tools/collect/earlier_rows.h"
#include "tlm/tools/collect/workload_trials.h"

namespace tlm::collect {
namespace {

using space::Record;
using space::Schedule;

constexpr const char* kNames[] = {"random", "constructive", "search", "lm", "confirm"};  // by Source
constexpr const char* kCompany = "company";  // origin of what is measured beside others once more
constexpr int kCompanyOfModel = 4, kModelAhead = 16;

class Collection {
 public:
  Collection(const std::vector<PlanItem>& plan, space::Measurer& measurer, space::RecordStore& records,
             const CollectOptions& options)
      : plan_(plan), measurer_(measurer), records_(records), options_(options), earlier_(records) {
    int wanted = 0;
    for (const Quota& q : options_.quotas)
      if (q.source == Source::kModel) wanted += q.programs;
    if (wanted > 0) {
      TLM_CHECK(options_.model) << "programs of a model without a model";
      model_ = options_.model(wanted, options_.seed);
    }
  }

  CollectResult run() {
    std::vector<int> open;
    int64_t total = 0;
    for (const PlanItem& item : plan_) {
      options_.cancel.check();
      open.push_back(missing(item));
      total += open.back();
    }
    ProgressTask progress(options_.progress ? *options_.progress : no_progress(), "collect", total);
    progress_ = &progress;
    result_.complete = true;
    for (at_ = 0; at_ < plan_.size(); ++at_) {
      options_.cancel.check();
      const int before = result_.measured;
      if (open[at_] > 0 && !work_on(plan_[at_])) {
        result_.complete = false;
        break;
      }
      earlier_.pass(plan_[at_]);
      progress.advance(std::max(0, open[at_] - (result_.measured - before)), status());  // what the space does not hold
    }
    result_.seconds = time_.seconds();
    return result_;
  }

 private:
  std::string origin(Source s) const { return s == Source::kModel ? model_->name() : kNames[static_cast<size_t>(s)]; }
  bool out_of_time() const { return options_.seconds > 0 && time_.seconds() >= options_.seconds; }

  std::vector<Record> records_of(const PlanItem& item) const {
    return records_.of_workload(ir::workload_hash(*item.subgraph), space::target_hash(item.variant.target));
  }

  // Nothing new was measured since the fastest were last measured side by side.
  static bool confirmed(const std::vector<Record>& records) {
    std::set<uint64_t> known;
    bool is = false;
    for (const Record& r : records) {
      if (known.insert(r.schedule_hash).second) is = false;
      if (r.origin == kNames[static_cast<size_t>(Source::kConfirm)]) is = true;
    }
    return is;
  }

  // Programs that the records lack, as far as they tell without a look at the space.
  int missing(const PlanItem& item) const {
    std::map<std::string, int> by_origin;
    std::set<uint64_t> known;
    const std::vector<Record> records = records_of(item);
    for (const Record& r : records)
      if (known.insert(r.schedule_hash).second) ++by_origin[r.origin];
    int n = 0;
    for (const Quota& q : options_.quotas) {
      if (q.source == Source::kConfirm)
        n += confirmed(records) ? 0 : q.programs;
      else
        n += std::max(0, q.programs - by_origin[origin(q.source)]);
    }
    return options_.programs > 0 ? std::min(n, std::max(0, options_.programs - static_cast<int>(known.size()))) : n;
  }

  // False: the time is over.
  bool work_on(const PlanItem& item) {
    WorkloadTrials trials(space::Space::build(*item.subgraph, item.variant.target), options_.seed, records_);
    const int before = result_.measured;
    bool in_time = true;
    for (const Quota& q : options_.quotas) {
      if (q.source == Source::kConfirm) {
        in_time = in_time && confirm(item, trials, q.programs);
        continue;
      }
      while (in_time) {
        const Stopwatch time;
        int count = std::min(options_.batch, q.programs - trials.measured_for(origin(q.source)));
        if (options_.programs > 0) count = std::min(count, options_.programs - trials.trials());
        if (count <= 0) break;
        const std::vector<Schedule> batch = propose(q, trials, count);
        result_.choosing_s += time.seconds();
        if (batch.empty()) break;  // the space, or the source, holds no more
        if ((in_time = !out_of_time())) measure(item, trials, batch, q.source, company(q.source, trials));
      }
    }
    result_.items += result_.measured > before;
    return in_time;
  }

  std::vector<Schedule> propose(const Quota& q, const WorkloadTrials& trials, int count) {
    switch (q.source) {
      case Source::kRandom: return trials.unknown(space::random_draws(trials.space(), q.programs, options_.seed), count);
      case Source::kConstructive: return trials.unknown(space::constructive_variations(trials.space(), q.programs + 1), count);
      case Source::kSearch: return trials.search().propose(count, cost_model(trials));
      case Source::kModel: return trials.unknown(proposals_of_model(), count);
      case Source::kConfirm: break;
    }
    return {};
  }

  space::CostModel cost_model(const WorkloadTrials& trials) {
    constexpr size_t kEnough = 16;
    std::vector<std::vector<float>> rows;
    std::vector<float> labels;
    earlier_.add_to(trials.space()->target(), rows, labels);
    trials.search().add_rows(rows, labels);
    space::CostModel model;
    if (rows.size() >= kEnough) model.fit(rows, labels);
    return model;
  }

  // Asked for several workloads at once: decoding is batched.
  const std::vector<Schedule>& proposals_of_model() {
    const auto known = proposals_.find(at_);
    if (known != proposals_.end()) return known->second;
    std::vector<size_t> numbers;
    std::vector<std::shared_ptr<const space::Space>> spaces;
    for (size_t i = at_; i < plan_.size() && static_cast<int>(spaces.size()) < kModelAhead; ++i) {
      if (i != at_ && missing(plan_[i]) == 0) continue;
      numbers.push_back(i);
      spaces.push_back(space::Space::build(*plan_[i].subgraph, plan_[i].variant.target));
    }
    std::vector<std::vector<Schedule>> all = model_->schedule(spaces);
    proposals_.clear();
    for (size_t i = 0; i < numbers.size(); ++i) proposals_[numbers[i]] = std::move(all[i]);
    return proposals_[at_];
  }

  // What is measured beside a batch so that it can be compared: the fastest so far.
  static std::vector<Schedule> company(Source source, const WorkloadTrials& trials) {
    if (source == Source::kSearch) return trials.search().top(1);
    if (source == Source::kModel) return trials.search().top(kCompanyOfModel);
    return {};
  }

  bool confirm(const PlanItem& item, WorkloadTrials& trials, int count) {
    if (confirmed(records_of(item))) return true;
    const std::vector<Schedule> top = trials.search().top(count);
    if (top.size() < 2) return true;
    if (out_of_time()) return false;
    measure(item, trials, top, Source::kConfirm, {});
    return true;
  }

  void measure(const PlanItem& item, WorkloadTrials& trials, std::vector<Schedule> schedules, Source source,
               const std::vector<Schedule>& company) {
    const size_t asked = schedules.size();
    for (const Schedule& s : company)
      if (s != trials.search().anchor()) schedules.push_back(s);
    const Stopwatch time;
    const space::Batch batch = measurer_.measure(*trials.space(), schedules, options_.cancel);
    result_.measuring_s += time.seconds();
    std::vector<Record> rows = space::batch_records(*trials.space(), schedules, batch, origin(source), options_.seed);
    for (size_t i = asked; i < schedules.size(); ++i) rows[i].origin = kCompany;
    records_.append(rows);
    trials.observe(rows);
    ++result_.batches;
    result_.measured += static_cast<int>(asked);
    options_.log.debug("collect: " + item.name + " on " + item.variant.name + ": " + std::to_string(asked) + " of " +
                       origin(source) + ", batch " + batch.id);
    progress_->advance(static_cast<int64_t>(asked), status());
  }

  // "1234 programs, 812/min"
  std::string status() const {
    char text[64];
    std::snprintf(text, sizeof text, "%d programs, %.0f/min", result_.measured,
                  60 * result_.measured / std::max(1e-3, time_.seconds()));
    return text;
  }

  const std::vector<PlanItem>& plan_;
  space::Measurer& measurer_;
  space::RecordStore& records_;
  const CollectOptions& options_;
  const Stopwatch time_;
  EarlierRows earlier_;
  std::unique_ptr<space::Scheduler> model_;
  std::map<size_t, std::vector<Schedule>> proposals_;  // of the model, by number of the item
  size_t at_ = 0;                                      // the item under way
  CollectResult result_;
  ProgressTask* progress_ = nullptr;
};

}  // namespace

std::vector<Quota> parse_quotas(const std::string& text) {
  std::vector<Quota> out;
  std::istringstream parts(text);
  std::string part;
  while (std::getline(parts, part, ',')) {
    const size_t colon = part.find(':');
    const std::string name = part.substr(0, colon), digits = colon == std::string::npos ? "" : part.substr(colon + 1);
    const auto at = std::find(std::begin(kNames), std::end(kNames), name);
    const bool number = !digits.empty() && digits.size() <= 6 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (at == std::end(kNames) || !number)
      throw Error(ErrorCode::kUsage, "bad source '" + part + "'", "",
                  "SOURCE:PROGRAMS with one of random, constructive, search, lm, confirm, separated by commas");
    out.push_back({static_cast<Source>(at - std::begin(kNames)), std::stoi(digits)});
  }
  if (out.empty()) throw Error(ErrorCode::kUsage, "no source is named");
  return out;
}

CollectResult collect(const std::vector<PlanItem>& plan, space::Measurer& measurer, space::RecordStore& records,
                      const CollectOptions& options) {
  return Collection(plan, measurer, records, options).run();
}

}  // namespace tlm::collect
