// What a finished search says, as a pure function of its records.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tlm/space/records/record.h"

namespace tlm::eval {

// Origins of the records of a reference.
inline constexpr char kSearchOrigin[] = "search";    // the search's batches
inline constexpr char kConfirmOrigin[] = "confirm";  // the fastest of its prefixes, side by side

struct HistoryPoint {
  int trials = 0;                // distinct schedules measured so far, the constructive one aside
  double seconds = 0;            // wall-clock so far
  std::vector<std::string> top;  // schedules by the median of their ratios so far, fastest first; at most kTop
};

inline constexpr size_t kTop = 4;

class SearchHistory {
 public:
  // `records` of one workload on one target, oldest first; `seconds` by batch.
  SearchHistory(const std::vector<space::Record>& records, const std::map<std::string, double>& seconds);

  const std::vector<HistoryPoint>& points() const { return points_; }  // after each batch
  int trials() const { return points_.empty() ? 0 : points_.back().trials; }
  double anchor_ms() const { return anchor_ms_; }  // median over all batches
  // Of the first batch after which `trials` were measured; the last one's where there were no so many.
  const HistoryPoint& at(int trials) const;
  // The median over everything that was ever measured of it; 0: never.
  double ratio(const std::string& schedule) const;
  // Schedules of the last confirmation that were found right and timed to the end, fastest there first. Empty: nothing was
  // confirmed yet.
  struct Confirmed {
    std::string schedule;
    double ratio = 0;
    uint64_t program = 0;  // hash of the emitted source
  };
  const std::vector<Confirmed>& confirmed() const { return confirmed_; }
  // The one of `schedules` that was fastest in the confirmation; null: none.
  const Confirmed* best_confirmed(const std::vector<std::string>& schedules) const;

 private:
  struct Seen {
    std::string schedule;
    std::vector<double> ratios;
    bool trusted = false, broken = false;
    double ratio() const;
  };
  void see(const space::Record& r);
  void read_confirmation(const std::vector<space::Record>& records);

  std::map<uint64_t, Seen> seen_;  // by hash of the schedule
  std::vector<HistoryPoint> points_;
  std::vector<Confirmed> confirmed_;
  double anchor_ms_ = 0;
};

}  // namespace tlm::eval
