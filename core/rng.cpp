#include "tlm/core/rng.h"

#include <bit>
#include <cmath>

#include "tlm/core/error.h"

namespace tlm {
namespace {

// splitmix64 (Steele, Lea, Flood 2014): fills the state from one seed.
uint64_t split_mix(uint64_t& state) {
  state += 0x9e3779b97f4a7c15ull;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(uint64_t seed) {
  for (uint64_t& word : s_) word = split_mix(seed);
}

// xoshiro256** (Blackman, Vigna 2018).
uint64_t Rng::next() {
  const uint64_t result = std::rotl(s_[1] * 5, 7) * 9;
  const uint64_t t = s_[1] << 17;
  s_[2] ^= s_[0];
  s_[3] ^= s_[1];
  s_[1] ^= s_[2];
  s_[0] ^= s_[3];
  s_[2] ^= t;
  s_[3] = std::rotl(s_[3], 45);
  return result;
}

uint64_t Rng::below(uint64_t n) {
  TLM_CHECK(n >= 1);
  // Draws at or above the greatest multiple of n are thrown away, so that every remainder is equally likely.
  const uint64_t excess = (0 - n) % n;  // 2^64 mod n
  uint64_t draw = next();
  while (draw > UINT64_MAX - excess) draw = next();
  return draw % n;
}

int64_t Rng::between(int64_t lo, int64_t hi) {
  TLM_CHECK(lo <= hi) << lo << " > " << hi;
  const uint64_t span = static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo);
  const uint64_t draw = span == UINT64_MAX ? next() : below(span + 1);
  return static_cast<int64_t>(static_cast<uint64_t>(lo) + draw);
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

// Marsaglia's polar method; the second value of a pair is not kept, so that the state is the four words alone.
double Rng::normal() {
  for (;;) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

Rng Rng::split(uint64_t stream) const {
  Rng child(stream);
  uint64_t seed = child.s_[0];
  for (int i = 0; i < 4; ++i) {
    seed ^= s_[i];
    child.s_[i] ^= split_mix(seed);
  }
  return child;
}

}  // namespace tlm
