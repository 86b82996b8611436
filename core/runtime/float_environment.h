// The floating-point environment while kernels run: the default one (round to nearest, no flush to zero, no traps), whatever the
// application set; afterwards as it was, status flags included. So outputs do not depend on the thread that computes them.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tlm::runtime {

class FloatEnvironment {
 public:
#if defined(__x86_64__)
  FloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatEnvironment() { _mm_setcsr(saved_); }

 private:
  uint32_t saved_;
#elif defined(__aarch64__)
  FloatEnvironment() {
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control_), "=r"(status_)::"memory");
    asm volatile("msr fpcr, %0" ::"r"(uint64_t{0}) : "memory");
  }
  ~FloatEnvironment() { asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(control_), "r"(status_) : "memory"); }

 private:
  uint64_t control_, status_;
#endif

 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
};

}  // namespace tlm::runtime
