// How fast this machine reads and writes memory, measured: what kernels that compute little are compared with.
#pragma once

#include <cstddef>

namespace tlm::kernels {

// GB/s of `threads` threads that run a[i] = b[i] + s·c[i] over three arrays of `bytes` together, each thread over its own part
// again and again: three accesses of four bytes count for each element. Best of `rounds` rounds of about `milliseconds` each.
// What a cache holds comes from the cache: give the size of the working set in question. At least 64 KiB for each thread.
double measure_stream_gbps(int threads, size_t bytes, int rounds = 3, double milliseconds = 20);

}  // namespace tlm::kernels
