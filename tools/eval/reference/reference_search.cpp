#include "tlm/tools/eval/reference/reference_search.h"

#include <algorithm>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/core/version.h"
#include "tlm/space/records/record_store.h"
#include "tlm/space/search/network_search.h"
#include "tlm/tools/eval/reference/search_clock.h"
#include "tlm/tools/eval/reference/search_history.h"

namespace tlm::eval {
namespace {

using space::Record;

// Several tasks shown as one.
class Part : public Progress {
 public:
  Part(ProgressTask& whole, std::string name, int limit) : whole_(whole), name_(std::move(name)), left_(limit) {}
  void start(std::string_view, int64_t) override {}
  void advance(int64_t steps, std::string_view item) override {
    steps = std::min<int64_t>(steps, left_);
    left_ -= static_cast<int>(steps);
    whole_.advance(steps, name_ + ": " + std::string(item));
  }
  void finish() override {}
  void skip() { advance(left_, "no further schedules"); }

 private:
  ProgressTask& whole_;
  std::string name_;
  int left_;
};

// Searches that came to their end, in a table of the record file itself.
class Finished {
 public:
  explicit Finished(const std::filesystem::path& records) : database_(records, true) {
    database_.run("CREATE TABLE IF NOT EXISTS search_finished(key TEXT PRIMARY KEY)");
    space::Statement select(database_, "SELECT key FROM search_finished");
    while (select.step()) keys_.insert(select.text(0));
  }
  bool holds(const std::string& key) const { return keys_.contains(key); }
  void add(const std::string& key) {
    space::Statement insert(database_, "INSERT OR REPLACE INTO search_finished VALUES(?)");
    insert.bind(0, std::string_view(key));
    insert.step();
    keys_.insert(key);
  }

 private:
  space::Database database_;
  std::set<std::string> keys_;
};

class ReferenceSearch {
 public:
  ReferenceSearch(const std::vector<EvalWorkload>& list, space::Measurer& measurer, space::Measurer& confirming,
                  const ReferenceOptions& options)
      : list_(list),
        options_(options),
        confirming_(confirming),
        store_(options.records),
        finished_(options.records),
        clock_(options.records),
        timed_(measurer, clock_, options.stop) {}

  ReferenceResult run() {
    ReferenceResult result;
    std::vector<int> done;
    int64_t left = 0;
    for (const EvalWorkload& w : list_) {
      done.push_back(finished_.holds(key(w)) ? options_.trials : std::min(options_.trials, history(w).trials()));
      left += options_.trials - done.back();
    }
    try {
      ProgressTask progress(options_.progress ? *options_.progress : no_progress(), "reference", left);
      for (size_t i = 0; i < list_.size(); ++i) {
        if (finished_.holds(key(list_[i]))) continue;
        Part part(progress, list_[i].name, options_.trials - done[i]);
        search(list_[i], part, result);
      }
    } catch (const Error& e) {
      if (e.code() != ErrorCode::kInterrupted || options_.cancel.cancelled()) throw;
      result.stopped = true;
    }
    for (const EvalWorkload& w : list_)
      if (finished_.holds(key(w))) result.references.push_back(summary(w));
    return result;
  }

 private:
  uint64_t target(const EvalWorkload& w) const { return space::target_hash(target_of(w, options_.machine)); }

  std::string key(const EvalWorkload& w) const {
    return to_hex(w.hash) + " " + to_hex(target(w)) + " trials " + std::to_string(options_.trials) + " seed " +
           std::to_string(options_.seed);
  }

  SearchHistory history(const EvalWorkload& w) {
    const std::vector<Record> records = store_.of_workload(w.hash, target(w));
    for (const Record& r : records) {
      if (r.seed != options_.seed && r.origin != "constructive")
        throw Error(ErrorCode::kUsage, "the records are of a search with seed " + std::to_string(r.seed), store_.file().string(),
                    "give that --seed, or another file");
    }
    return SearchHistory(records, clock_.seconds());
  }

  void search(const EvalWorkload& w, Part& part, ReferenceResult& result) {
    options_.cancel.check();
    const std::shared_ptr<const space::Space> space = space_of(w, options_.machine);
    space::SearchOptions search;
    search.trials = options_.trials;
    search.batch = options_.batch;
    search.confirmed = 0;
    search.learn_from_others = false;
    search.seed = options_.seed;
    search.cancel = options_.cancel;
    search.progress = &part;
    search.log = options_.log;
    const int before = history(w).trials();
    timed_.begin(before > 0);
    result.measured += space::search_network({{space, 1, w.name}}, timed_, &store_, search).measured;
    part.skip();
    confirm(w, *space);
    finished_.add(key(w));
  }

  std::vector<int> prefixes() const {
    std::vector<int> all;
    for (const int p : options_.prefixes)
      if (p < options_.trials) all.push_back(p);
    all.push_back(options_.trials);
    return all;
  }

  // What was fastest in one measurement was also the luckiest.
  void confirm(const EvalWorkload& w, const space::Space& space) {
    const SearchHistory h = history(w);
    if (h.points().empty()) return;  // the space holds one schedule
    std::vector<space::Schedule> schedules;
    for (const int p : prefixes()) {
      for (const std::string& text : h.at(p).top) {
        const space::Schedule s = space::parse_schedule(text);
        if (std::find(schedules.begin(), schedules.end(), s) == schedules.end()) schedules.push_back(s);
      }
    }
    if (schedules.empty()) return;
    const space::Batch batch = confirming_.measure(space, schedules, options_.cancel);
    store_.append(space::batch_records(space, schedules, batch, kConfirmOrigin, options_.seed));
  }

  Reference summary(const EvalWorkload& w) {
    const std::vector<Record> records = store_.of_workload(w.hash, target(w));
    const SearchHistory h(records, clock_.seconds());
    Reference r;
    r.name = w.name;
    r.workload = w.hash;
    r.target = target(w);
    r.cores = w.cores;
    r.trials = h.trials();
    r.seed = options_.seed;
    r.constructive_ms = h.anchor_ms();
    r.engine = kEngineVersion;
    if (!records.empty()) {
      r.space_version = records.back().space_version;
      r.emitter_version = records.back().emitter_version;
      r.compiler = records.back().compiler;
    }
    if (h.points().empty()) {  // the space holds one schedule
      for (const int p : prefixes()) r.after.push_back({p, 0, {}});
      return r;
    }
    r.seconds = h.points().back().seconds;
    constexpr size_t kTopSchedules = 3;
    std::set<uint64_t> programs;
    for (const SearchHistory::Confirmed& c : h.confirmed())
      if (r.top.size() < kTopSchedules && programs.insert(c.program).second)
        r.top.push_back({space::parse_schedule(c.schedule), c.ratio});
    std::vector<std::string> fastest;  // of this prefix and the shorter ones
    for (const int p : prefixes()) {
      const HistoryPoint& point = h.at(p);
      fastest.insert(fastest.end(), point.top.begin(), point.top.end());
      ReferencePrefix prefix{p, point.seconds, {}};
      if (const SearchHistory::Confirmed* best = h.best_confirmed(fastest))
        prefix.best = {space::parse_schedule(best->schedule), best->ratio};
      r.after.push_back(std::move(prefix));
    }
    std::string best;
    for (const HistoryPoint& p : h.points()) {
      const bool last = &p == &h.points().back();
      if (p.top.empty() || (p.top[0] == best && !last)) continue;
      best = p.top[0];
      r.curve.push_back({p.trials, p.seconds, h.anchor_ms() / h.ratio(best)});
    }
    return r;
  }

  const std::vector<EvalWorkload>& list_;
  const ReferenceOptions& options_;
  space::Measurer& confirming_;
  space::RecordStore store_;
  Finished finished_;
  SearchClock clock_;
  TimedMeasurer timed_;
};

}  // namespace

ReferenceResult search_references(const std::vector<EvalWorkload>& list, space::Measurer& measurer, space::Measurer& confirming,
                                  const ReferenceOptions& options) {
  return ReferenceSearch(list, measurer, confirming, options).run();
}

}  // namespace tlm::eval
