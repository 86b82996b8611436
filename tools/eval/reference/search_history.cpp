#include "tlm/tools/eval/reference/search_history.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/core/median.h"
#include "tlm/space/schedule.h"

namespace tlm::eval {

using space::MeasureStatus;
using space::Record;

double SearchHistory::Seen::ratio() const { return median(ratios); }

SearchHistory::SearchHistory(const std::vector<Record>& records, const std::map<std::string, double>& seconds) {
  std::vector<double> anchor_ms;
  for (size_t begin = 0; begin < records.size();) {
    size_t end = begin;
    bool search = false;
    for (; end < records.size() && records[end].batch == records[begin].batch; ++end) {
      const Record& r = records[end];
      search = search || r.origin == kSearchOrigin;
      if (r.origin == "constructive" && r.timed()) anchor_ms.push_back(r.median_ms);
    }
    if (search) {
      for (size_t i = begin; i < end; ++i) see(records[i]);
      HistoryPoint p;
      for (const auto& [hash, s] : seen_) p.trials += s.schedule.empty() ? 0 : 1;
      const auto time = seconds.find(records[begin].batch);
      p.seconds = (points_.empty() ? 0 : points_.back().seconds) + (time == seconds.end() ? 0 : time->second);
      std::vector<const Seen*> order;
      for (const auto& [hash, s] : seen_)
        if (s.trusted && !s.broken && !s.schedule.empty()) order.push_back(&s);
      std::stable_sort(order.begin(), order.end(), [](const Seen* a, const Seen* b) { return a->ratio() > b->ratio(); });
      for (const Seen* s : order)
        if (p.top.size() < kTop) p.top.push_back(s->schedule);
      points_.push_back(std::move(p));
    }
    begin = end;
  }
  anchor_ms_ = median(anchor_ms);
  read_confirmation(records);
}

// The constructive schedule accompanies every batch and is no trial: it is kept without text.
void SearchHistory::see(const Record& r) {
  Seen& s = seen_[r.schedule_hash];
  if (r.origin != "constructive") s.schedule = r.schedule;
  if (r.timed() && r.ratio > 0) s.ratios.push_back(r.ratio);
  const bool ok = r.status == MeasureStatus::kOk, slow = r.status == MeasureStatus::kSlow;
  s.trusted = s.trusted || (ok && r.ratio > 0);
  s.broken = s.broken || !(ok || slow);
}

void SearchHistory::read_confirmation(const std::vector<Record>& records) {
  std::string last;
  for (const Record& r : records)
    if (r.origin == kConfirmOrigin) last = r.batch;
  std::vector<const Record*> batch;
  for (const Record& r : records) {
    if (r.batch != last || last.empty() || r.origin != kConfirmOrigin) continue;
    if (r.status == MeasureStatus::kOk && r.ratio > 0) batch.push_back(&r);
    if (r.timed() && r.ratio > 0) seen_[r.schedule_hash].ratios.push_back(r.ratio);
  }
  std::stable_sort(batch.begin(), batch.end(), [](const Record* a, const Record* b) { return a->ratio > b->ratio; });
  for (const Record* r : batch) confirmed_.push_back({r->schedule, r->ratio, r->source_hash});
}

const HistoryPoint& SearchHistory::at(int trials) const {
  TLM_CHECK(!points_.empty());
  for (const HistoryPoint& p : points_)
    if (p.trials >= trials) return p;
  return points_.back();
}

double SearchHistory::ratio(const std::string& schedule) const {
  const auto at = seen_.find(hash(space::parse_schedule(schedule)));
  return at == seen_.end() ? 0 : at->second.ratio();
}

const SearchHistory::Confirmed* SearchHistory::best_confirmed(const std::vector<std::string>& schedules) const {
  for (const Confirmed& c : confirmed_)
    if (std::find(schedules.begin(), schedules.end(), c.schedule) != schedules.end()) return &c;
  return nullptr;
}

}  // namespace tlm::eval
