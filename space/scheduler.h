// The seam through which schedules are chosen. Implemented here without a model, in lm/ with one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm/space/space.h"

namespace tlm::space {

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual std::string name() const = 0;
  // For each space its schedules, best first (at least one each, all legal and complete). A list, so that decoding is batched.
  virtual std::vector<std::vector<Schedule>> schedule(const std::vector<std::shared_ptr<const Space>>& spaces) = 0;
};

std::unique_ptr<Scheduler> make_constructive_scheduler();
std::unique_ptr<Scheduler> make_random_scheduler(
    uint64_t seed);  // a uniform candidate at each decision; depends on (seed, workload) only

}  // namespace tlm::space
