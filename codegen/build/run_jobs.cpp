#include "tlm/codegen/build/run_jobs.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tlm::codegen {

void run_jobs(int threads, int count, const std::function<void(int)>& job) {
  std::atomic<int> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (int i; (i = next.fetch_add(1)) < count;) {
      try {
        job(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> helpers;
  try {
    for (int t = 1; t < std::min(threads, count); ++t) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had: those that run do all the work.
  }
  work();
  for (std::thread& t : helpers) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tlm::codegen
