// How long a search took, batch by batch, whatever interrupted it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "tlm/space/measurer.h"
#include "tlm/space/records/database.h"

namespace tlm::eval {

// Seconds of each batch, in a table of the record file itself. A batch has its time before it has its records, so none that was
// recorded lacks it.
class SearchClock {
 public:
  explicit SearchClock(const std::filesystem::path& records);  // created if need be
  void add(const std::string& batch, double seconds);
  std::map<std::string, double> seconds();  // by batch

 private:
  space::Database database_;
};

// Hands everything on to another measurer. The time of a batch is what has passed since the one before, proposing included; that
// of the first one too, unless the search was resumed: then its own alone, because what came before it was reading.
class TimedMeasurer : public space::Measurer {
 public:
  // `stop`: asked before each batch; true: Error(kInterrupted).
  TimedMeasurer(space::Measurer& measurer, SearchClock& clock, std::function<bool()> stop = {});
  void begin(bool resumed);  // a search begins
  space::Batch measure(const space::Space& space, const std::vector<space::Schedule>& schedules,
                       const CancelToken& cancel) override;

 private:
  using Time = std::chrono::steady_clock;
  space::Measurer& measurer_;
  SearchClock& clock_;
  std::function<bool()> stop_;
  Time::time_point mark_;
  bool resumed_ = false;
};

}  // namespace tlm::eval
