// The seam through which schedules are measured. Measuring belongs to codegen (which compiles and runs);
// nothing implements it yet.
#pragma once

#include <vector>

#include "tlm/core/result.h"
#include "tlm/space/space.h"

namespace tlm::space {

struct Measurement {
  std::vector<double> samples_ms;  // one for each round
  double median_ms = 0;
};

class Measurer {
 public:
  virtual ~Measurer() = default;
  // One batch of one workload: latency, or the reason why there is none, for each schedule.
  virtual std::vector<Result<Measurement>> measure(const Space& space, const std::vector<Schedule>& schedules) = 0;
};

}  // namespace tlm::space
