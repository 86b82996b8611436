#include "tlm/codegen/measure/probe.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "tlm/kernels/cpu/fma_peak.h"

namespace tlm::codegen {
namespace {

constexpr int kTries = 4;
constexpr double kTryMs = 1.5;
constexpr size_t kStreamBytes = size_t{16} << 20;

double stream_gbytes(std::span<const std::byte> stream) {
  typedef uint64_t Vector __attribute__((vector_size(32), aligned(32)));
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    const size_t part = std::min(kStreamBytes, stream.size());
    // Another part each time: none is in a cache from the last one.
    const size_t begin = stream.size() < 2 * part ? 0 : (static_cast<size_t>(i) * part) % (stream.size() - part + 1) / 64 * 64;
    const auto* from = reinterpret_cast<const Vector*>(stream.data() + begin);
    Vector sums[4] = {};
    const auto start = std::chrono::steady_clock::now();
    for (size_t k = 0; k + 4 <= part / sizeof(Vector); k += 4)
      for (int s = 0; s < 4; ++s) sums[s] += from[k + static_cast<size_t>(s)];
    asm volatile("" : : "m"(sums) : "memory");  // the sums are wanted
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, static_cast<double>(part) / std::max(seconds, 1e-9) * 1e-9);
  }
  return best;
}

double moved(double a, double b) { return a > 0 && b > 0 ? std::max(a, b) / std::min(a, b) - 1 : 0; }

}  // namespace

space::Probe probe_machine(int threads, std::span<const std::byte> stream) {
  return {kernels::measure_peak_gflops(threads, kTries, kTryMs), stream_gbytes(stream)};
}

double drift(const space::Probe& a, const space::Probe& b) {
  return std::max(moved(a.gflops, b.gflops), moved(a.gbytes_s, b.gbytes_s));
}

}  // namespace tlm::codegen
