#include "tlm/kernels/cpu/fma_peak.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tlm::kernels {
namespace {

constexpr int kChains = 12;  // enough to cover the latency of two FMA pipes, few enough for 16 registers

// Each runs `n` steps of kChains independent multiply-adds and returns their number of floating point operations.
using Loop = double (*)(long n, float seed, float* sink);

#if defined(__x86_64__)
__attribute__((target("avx512f"))) double loop_avx512(long n, float seed, float* sink) {
  __m512 acc[kChains];
  for (int i = 0; i < kChains; ++i) acc[i] = _mm512_set1_ps(seed + static_cast<float>(i));
  const __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-3f);
  for (long k = 0; k < n; ++k)
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) acc[i] = _mm512_fmadd_ps(acc[i], x, y);
  for (int i = 1; i < kChains; ++i) acc[0] = _mm512_add_ps(acc[0], acc[i]);
  _mm512_storeu_ps(sink, acc[0]);
  return 2.0 * 16 * kChains * static_cast<double>(n);
}

__attribute__((target("avx2,fma"))) double loop_avx2(long n, float seed, float* sink) {
  __m256 acc[kChains];
  for (int i = 0; i < kChains; ++i) acc[i] = _mm256_set1_ps(seed + static_cast<float>(i));
  const __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-3f);
  for (long k = 0; k < n; ++k)
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) acc[i] = _mm256_fmadd_ps(acc[i], x, y);
  for (int i = 1; i < kChains; ++i) acc[0] = _mm256_add_ps(acc[0], acc[i]);
  _mm256_storeu_ps(sink, acc[0]);
  return 2.0 * 8 * kChains * static_cast<double>(n);
}
#endif

double loop_portable(long n, float seed, float* sink) {
  typedef float Vector __attribute__((vector_size(16)));
  Vector acc[kChains];
  for (int i = 0; i < kChains; ++i) acc[i] = Vector{} + (seed + static_cast<float>(i));
  const Vector x = Vector{} + 0.999f, y = Vector{} + 1e-3f;
  for (long k = 0; k < n; ++k)
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) acc[i] = acc[i] * x + y;
  for (int i = 1; i < kChains; ++i) acc[0] += acc[i];
  for (int i = 0; i < 4; ++i) sink[i] = acc[0][i];
  return 2.0 * 4 * kChains * static_cast<double>(n);
}

Loop best_loop() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return loop_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return loop_avx2;
#endif
  return loop_portable;
}

double seconds_of(Loop loop, int threads, long n, double& operations) {
  std::vector<float> sinks(static_cast<size_t>(threads) * 16);
  std::vector<std::thread> others;
  std::vector<double> counts(static_cast<size_t>(threads));
  const auto begin = std::chrono::steady_clock::now();
  for (int t = 1; t < threads; ++t)
    others.emplace_back([&, t] { counts[static_cast<size_t>(t)] = loop(n, static_cast<float>(t), &sinks[static_cast<size_t>(t) * 16]); });
  counts[0] = loop(n, 0, sinks.data());
  for (std::thread& t : others) t.join();
  operations = 0;
  for (const double c : counts) operations += c;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

double measure_peak_gflops(int threads, int rounds, double milliseconds) {
  const Loop loop = best_loop();
  double operations = 0;
  long n = 100000;
  const double once = seconds_of(loop, 1, n, operations);
  n = std::max(n, static_cast<long>(static_cast<double>(n) * milliseconds * 1e-3 / std::max(once, 1e-6)));
  double best = 0;
  for (int r = 0; r < rounds; ++r) {
    const double s = seconds_of(loop, threads, n, operations);
    best = std::max(best, operations / s * 1e-9);
  }
  return best;
}

}  // namespace tlm::kernels
