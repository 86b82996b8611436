// Loops over lambdas on an Executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

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

// The same with body(index), which may throw: every index has its turn, then the exception of the first one that failed is
// thrown again.
template <typename Body>
void guarded_parallel_for(Executor& executor, int64_t count, Body&& body) {
  std::vector<std::exception_ptr> failures(static_cast<size_t>(count));
  parallel_for(executor, count, [&](int64_t i, int) {
    try {
      body(i);
    } catch (...) {
      failures[static_cast<size_t>(i)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace tlm::lm
