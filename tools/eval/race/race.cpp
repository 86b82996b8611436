#include "tlm/tools/eval/race/race.h"

#include <algorithm>
#include <map>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/core/stopwatch.h"

namespace tlm::eval {
namespace {

using space::Measurement;
using space::MeasureStatus;
using space::Schedule;

// A contender on its way through one workload.
struct Runner {
  std::vector<uint64_t> programs;  // distinct, in its order, at most k
  int duplicates = 0;
  uint64_t chosen = 0;
};

class WorkloadRace {
 public:
  WorkloadRace(size_t index, const space::Space& space, const std::vector<Contender>& contenders, const RaceOptions& options)
      : index_(index), space_(space), contenders_(contenders), options_(options) {}

  RaceRow run(space::Measurer& selecting, space::Measurer& racing, RaceRow row) {
    for (const Contender& c : contenders_) runners_.push_back(enter(c));
    reference_ = -1;
    for (size_t i = 0; i < contenders_.size(); ++i)
      if (contenders_[i].name == options_.reference && !runners_[i].programs.empty()) reference_ = static_cast<int>(i);
    select(selecting);
    race(racing, row);
    return row;
  }

 private:
  Runner enter(const Contender& c) {
    Runner r;
    for (const Schedule& s : c.picks.at(index_)) {
      if (static_cast<int>(r.programs.size()) >= c.k) break;
      const uint64_t program = options_.program(space_, s);
      TLM_CHECK(program != 0) << c.name << " proposes what cannot be lowered: " << print(s);
      schedules_.emplace(program, s);
      if (std::find(r.programs.begin(), r.programs.end(), program) == r.programs.end()) {
        r.programs.push_back(program);
      } else {
        ++r.duplicates;
      }
    }
    return r;
  }

  // Programs → measurements of one batch; the anchor's in `anchor`.
  space::Batch measure(space::Measurer& measurer, const std::vector<uint64_t>& programs,
                       std::map<uint64_t, Measurement>& results) {
    std::vector<Schedule> schedules;
    for (const uint64_t p : programs) schedules.push_back(schedules_.at(p));
    space::Batch batch = measurer.measure(space_, schedules, options_.cancel);
    for (size_t i = 0; i < programs.size(); ++i) results[programs[i]] = batch.programs[i];
    return batch;
  }

  static void add(std::vector<uint64_t>& list, uint64_t program) {
    if (std::find(list.begin(), list.end(), program) == list.end()) list.push_back(program);
  }

  // Contenders that may measure choose the fastest of theirs. All of their programs are one batch.
  void select(space::Measurer& measurer) {
    std::vector<uint64_t> programs;
    for (size_t i = 0; i < runners_.size(); ++i) {
      Runner& r = runners_[i];
      if (r.programs.empty()) continue;
      r.chosen = r.programs[0];
      if (r.programs.size() < 2) continue;
      for (const uint64_t p : r.programs) add(programs, p);
    }
    if (programs.empty()) return;
    std::map<uint64_t, Measurement> results;
    const Stopwatch time;
    measure(measurer, programs, results);
    selection_seconds_ = time.seconds() / static_cast<double>(programs.size());
    for (Runner& r : runners_) {
      if (r.programs.size() < 2) continue;
      double best = 0;
      for (const uint64_t p : r.programs) {
        const Measurement& m = results.at(p);
        if (m.status != MeasureStatus::kOk || (best > 0 && m.median_ms >= best)) continue;
        best = m.median_ms;
        r.chosen = p;
      }
    }
  }

  double latency(const Measurement& m) const {
    return m.status == MeasureStatus::kTimedOut ? options_.deadline_s * 1e3 : m.timed() ? m.median_ms : 0;
  }

  // In batches of what is not too much for one; the reference's programs are part of each.
  void race(space::Measurer& measurer, RaceRow& row) {
    std::vector<uint64_t> always, others;
    if (reference_ >= 0) always = runners_[static_cast<size_t>(reference_)].programs;
    for (const Runner& r : runners_)
      if (r.chosen && std::find(always.begin(), always.end(), r.chosen) == always.end()) add(others, r.chosen);
    row.programs = static_cast<int>(always.size() + others.size());
    std::map<uint64_t, double> ratio, ms;
    std::map<uint64_t, MeasureStatus> status;
    const size_t room = options_.most_programs > always.size() ? options_.most_programs - always.size() : 1;
    const size_t most = reference_ >= 0 ? room : std::max<size_t>(1, others.size());  // without it nothing would join batches
    double peak = 0;
    for (size_t begin = 0; begin == 0 || begin < others.size(); begin += most) {
      std::vector<uint64_t> programs = always;
      for (size_t i = begin; i < std::min(others.size(), begin + most); ++i) programs.push_back(others[i]);
      if (programs.empty()) return;
      std::map<uint64_t, Measurement> results;
      const space::Batch batch = measure(measurer, programs, results);
      const double reference = reference_ms(results);
      for (const auto& [program, m] : results) {
        ms[program] = latency(m);
        status[program] = m.status;
        ratio[program] = reference > 0 && ms[program] > 0 ? reference / ms[program] : 0;
      }
      if (begin > 0) continue;
      row.reference_ms = reference;
      row.constructive_ms = batch.anchor.median_ms;
      row.unsteady = batch.unsteady;
      peak = std::max(batch.before.gflops, batch.after.gflops);
      for (const uint64_t p : always)
        if (ms[p] > 0 && (row.reference_best_ms == 0 || ms[p] < row.reference_best_ms)) row.reference_best_ms = ms[p];
    }
    if (options_.peak) peak = std::max(peak, options_.peak(space_.target().cores));
    row.roof_ms = roof_ms(peak);
    for (size_t i = 0; i < runners_.size(); ++i) {
      const Runner& r = runners_[i];
      if (!r.chosen) continue;
      const bool measured = contenders_[i].kind != "search" && r.programs.size() > 1;
      RaceEntry e;
      e.contender = contenders_[i].name;
      e.distinct = static_cast<int>(r.programs.size());
      e.duplicates = r.duplicates;
      e.schedule = print(schedules_.at(r.chosen));
      e.program = r.chosen;
      e.status = space::measure_status_name(status.at(r.chosen));
      e.ms = ms.at(r.chosen);
      e.ratio = ratio.at(r.chosen);
      e.seconds = contenders_[i].seconds.at(index_) + (measured ? selection_seconds_ * e.distinct : 0);
      row.entries.push_back(std::move(e));
    }
  }

  double reference_ms(const std::map<uint64_t, Measurement>& results) const {
    if (reference_ >= 0) return latency(results.at(runners_[static_cast<size_t>(reference_)].chosen));
    double best = 0;
    for (const auto& [program, m] : results)
      if (m.status == MeasureStatus::kOk && (best == 0 || m.median_ms < best)) best = m.median_ms;
    return best;
  }

  double roof_ms(double peak_gflops) const {
    const ir::Subgraph& g = space_.subgraph();
    const double bytes = ir::port_bytes(g), stream = options_.stream ? options_.stream(space_.target().cores, bytes) : 0;
    return std::max(peak_gflops > 0 ? ir::flops(g) / peak_gflops : 0, stream > 0 ? bytes / stream : 0) * 1e-6;
  }

  size_t index_;
  const space::Space& space_;
  const std::vector<Contender>& contenders_;
  const RaceOptions& options_;
  std::map<uint64_t, Schedule> schedules_;  // by program: of the first that gives it
  std::vector<Runner> runners_;             // by contender
  int reference_ = -1;
  double selection_seconds_ = 0;  // of one program
};

}  // namespace

uint64_t race_plan(const EvalWorkload& w, size_t index, const std::vector<Contender>& contenders, const RaceOptions& options) {
  Hasher h;
  h.text("race 2").text(options.conditions).number(static_cast<int64_t>(w.hash)).number(w.cores).text(options.reference);
  for (const Contender& c : contenders) {
    h.text(c.name).number(c.k);
    for (const Schedule& s : c.picks.at(index)) h.text(print(s));
  }
  return h.value();
}

RaceRow race(const EvalWorkload& w, size_t index, const std::shared_ptr<const space::Space>& space,
             const std::vector<Contender>& contenders, space::Measurer& selecting, space::Measurer& racing,
             const RaceOptions& options) {
  RaceRow row;
  row.name = w.name;
  row.kind = w.kind;
  row.set = w.set;
  row.workload = w.hash;
  row.cores = w.cores;
  row.plan = race_plan(w, index, contenders, options);
  return WorkloadRace(index, *space, contenders, options).run(selecting, racing, std::move(row));
}

}  // namespace tlm::eval
