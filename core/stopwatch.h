// Wall-clock since a moment.
#pragma once

#include <chrono>

namespace tlm {

// Runs from its making on.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  double ms() const { return 1e3 * seconds(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace tlm
