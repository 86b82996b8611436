// A seeded random generator whose sequence never changes (xoshiro256**, seeded by splitmix64).
#pragma once

#include <cstdint>

namespace tlm {

class Rng {
 public:
  explicit Rng(uint64_t seed);
  uint64_t next();                         // 64 random bits
  uint64_t below(uint64_t n);              // uniform in [0, n); n >= 1
  int64_t between(int64_t lo, int64_t hi); // uniform in [lo, hi]
  double uniform();                        // [0, 1)
  double normal();                         // mean 0, deviation 1
  Rng split(uint64_t stream) const;        // an independent generator

 private:
  uint64_t s_[4];
};

}  // namespace tlm
