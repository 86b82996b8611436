// Data that a nest moves between the levels of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/space/rules/analysis.h"

namespace tlm::space {

// Loops of a plan (order ++ inner_order, those of one iteration left out) and what each level of them touches.
class Traffic {
 public:
  Traffic(const NestInfo& n, const NestPlan& plan);
  // Bytes that a cache of `capacity` bytes fetches and writes back.
  double into(double capacity) const;

 private:
  struct Loop {
    int axis;
    double trips;
  };
  const NestInfo& n_;
  std::vector<Loop> loops_;                 // outermost first
  std::vector<std::vector<double>> bytes_;  // inside the first i loops: of each load, then of each store
};

}  // namespace tlm::space
