// Extents of sampled layers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tlm/core/rng.h"

namespace tlm::collect {

enum class SizeRange : uint8_t {
  kTraining,  // what is drawn from lies in the ranges that the families name
  kBeyond,    // primes, half of the sizes from beyond their range
};

class Sizes {
 public:
  Sizes(Rng& rng, SizeRange range) : rng_(rng), range_(range) {}

  // Log-uniform in [low, high], rounded to a multiple of 64, 32, 16, 8, 4 or of nothing ("round" numbers are common in
  // networks). Beyond: a prime, in (high, 2·high] as often as in [low, high].
  int64_t size(int64_t low, int64_t high);
  int64_t image();                                          // edge of an image within a network: 5 to 112
  int64_t tokens();                                         // 4 to 384
  int64_t multiple(int64_t of, int64_t low, int64_t high);  // a multiple of `of`, log-uniform; beyond: of a prime
  int64_t one_of(std::initializer_list<int64_t> values);    // in either range
  bool chance(int percent) { return static_cast<int>(rng_.below(100)) < percent; }
  const std::vector<int64_t>& beyond() const { return beyond_; }  // the sizes that were drawn from beyond their ranges
  Rng& rng() { return rng_; }

 private:
  double log_uniform(int64_t low, int64_t high);
  int64_t prime(int64_t low, int64_t high, int64_t of = 1);

  Rng& rng_;
  SizeRange range_;
  std::vector<int64_t> beyond_;
};

}  // namespace tlm::collect
