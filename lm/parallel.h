// Loops over lambdas on an Executor.
#pragma once

#include <cstdint>

#include "tlm/core/executor.h"

namespace tlm::lm {

// Calls body(index, worker) for every index below count. The body must not throw.
template <typename Body>
void parallel_for(Executor& executor, int64_t count, Body&& body) {
  auto* address = &body;
  executor.parallel_for(
      count, [](void* context, int64_t index, int worker) { (**static_cast<decltype(address)*>(context))(index, worker); },
      &address);
}

}  // namespace tlm::lm
