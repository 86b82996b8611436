// Runs independent jobs on a few threads.
#pragma once

#include <functional>

namespace tlm::codegen {

// Calls job(i) for every i in [0, count) on at most `threads` threads, the caller's among them. After the first exception no
// further job is started, and it is thrown once all running ones have ended.
void run_jobs(int threads, int count, const std::function<void(int)>& job);

}  // namespace tlm::codegen
