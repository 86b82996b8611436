#include "tlm/tools/eval/reference/search_clock.h"

#include "tlm/core/error.h"

namespace tlm::eval {

SearchClock::SearchClock(const std::filesystem::path& records) : database_(records, true) {
  database_.run("CREATE TABLE IF NOT EXISTS search_clock(batch TEXT PRIMARY KEY, seconds REAL NOT NULL)");
}

void SearchClock::add(const std::string& batch, double seconds) {
  space::Statement insert(database_, "INSERT OR REPLACE INTO search_clock VALUES(?, ?)");
  insert.bind(0, batch).bind(1, seconds);
  insert.step();
}

std::map<std::string, double> SearchClock::seconds() {
  std::map<std::string, double> out;
  space::Statement select(database_, "SELECT batch, seconds FROM search_clock");
  while (select.step()) out[select.text(0)] = select.real(1);
  return out;
}

TimedMeasurer::TimedMeasurer(space::Measurer& measurer, SearchClock& clock, std::function<bool()> stop)
    : measurer_(measurer), clock_(clock), stop_(std::move(stop)), mark_(Time::now()) {}

void TimedMeasurer::begin(bool resumed) {
  mark_ = Time::now();
  resumed_ = resumed;
}

space::Batch TimedMeasurer::measure(const space::Space& space, const std::vector<space::Schedule>& schedules,
                                    const CancelToken& cancel) {
  if (stop_ && stop_()) throw Error(ErrorCode::kInterrupted, "the time is over");
  if (resumed_) begin(false);
  space::Batch batch = measurer_.measure(space, schedules, cancel);
  const Time::time_point now = Time::now();
  clock_.add(batch.id, std::chrono::duration<double>(now - mark_).count());
  mark_ = now;
  return batch;
}

}  // namespace tlm::eval
