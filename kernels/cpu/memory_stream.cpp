#include "tlm/kernels/cpu/memory_stream.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace tlm::kernels {
namespace {

using Clock = std::chrono::steady_clock;

__attribute__((noinline)) void triad(float* __restrict a, const float* __restrict b, const float* __restrict c, size_t n,
                                     float s) {
  for (size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

// One thread's arrays, touched by it first so that its own memory holds them.
struct Part {
  explicit Part(size_t elements) : n(elements), data(new float[3 * elements]) { std::fill_n(data.get(), 3 * n, 1.0f); }
  void passes(long count) {
    for (long k = 0; k < count; ++k) {
      triad(data.get(), data.get() + n, data.get() + 2 * n, n, 0.5f);
      asm volatile("" : : "r"(data.get()) : "memory");  // every pass happens
    }
  }
  size_t n;
  std::unique_ptr<float[]> data;
};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

double measure_stream_gbps(int threads, size_t bytes, int rounds, double milliseconds) {
  const size_t elements = std::max<size_t>(bytes / static_cast<size_t>(threads), size_t{64} << 10) / (3 * sizeof(float));
  std::vector<double> seconds(static_cast<size_t>(rounds));
  long count = 1;
  std::barrier meet(threads);
  const auto work = [&](int t) {
    Part part(elements);
    part.passes(1);
    if (t == 0) {
      const auto begin = Clock::now();
      part.passes(1);
      count = std::max(1L, static_cast<long>(milliseconds * 1e-3 / std::max(seconds_since(begin), 1e-7)));
    }
    for (double& s : seconds) {
      meet.arrive_and_wait();
      const auto begin = Clock::now();
      part.passes(count);
      meet.arrive_and_wait();
      if (t == 0) s = seconds_since(begin);
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread& t : others) t.join();
  const double moved = 3.0 * sizeof(float) * static_cast<double>(elements) * threads * static_cast<double>(count);
  return moved / *std::min_element(seconds.begin(), seconds.end()) * 1e-9;
}

}  // namespace tlm::kernels
