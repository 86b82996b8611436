#include "tlm/tools/collect/sizes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tlm::collect {
namespace {

bool is_prime(int64_t n) {
  if (n < 2) return false;
  for (int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

}  // namespace

double Sizes::log_uniform(int64_t low, int64_t high) {
  const double a = std::log(static_cast<double>(low)), b = std::log(static_cast<double>(high) + 0.999);
  return std::exp(a + (b - a) * rng_.uniform());
}

// `of` times the first prime from a number that is drawn; half of the time beyond the range.
int64_t Sizes::prime(int64_t low, int64_t high, int64_t of) {
  const bool beyond = chance(50);
  auto n = static_cast<int64_t>(beyond ? log_uniform(high + high / 8 + 1, 2 * high) : log_uniform(low, high));
  while (!is_prime(n)) ++n;
  if (beyond) beyond_.push_back(of * n);
  return of * n;
}

int64_t Sizes::size(int64_t low, int64_t high) {
  if (range_ == SizeRange::kBeyond) return prime(low, high);
  const auto n = static_cast<int64_t>(log_uniform(low, high));
  const int64_t roundings[] = {64, 32, 16, 16, 8, 8, 4, 1};
  const int64_t unit = roundings[rng_.below(std::size(roundings))];
  const int64_t rounded = (n + unit / 2) / unit * unit;
  return rounded >= low && rounded <= high ? rounded : n;
}

int64_t Sizes::image() {
  constexpr int64_t kLow = 5, kHigh = 112;
  if (range_ == SizeRange::kBeyond) return prime(kLow, kHigh);
  if (chance(50)) return one_of({7, 8, 10, 12, 14, 15, 16, 19, 20, 24, 28, 32, 38, 40, 48, 56, 64, 75, 80, 96, 112});
  return static_cast<int64_t>(log_uniform(kLow, kHigh));
}

int64_t Sizes::tokens() {
  constexpr int64_t kLow = 4, kHigh = 384;
  if (range_ == SizeRange::kBeyond) return prime(kLow, kHigh);
  if (chance(60)) return one_of({8, 16, 24, 32, 48, 49, 50, 64, 77, 96, 100, 128, 160, 192, 196, 197, 256, 320, 384});
  return static_cast<int64_t>(log_uniform(kLow, kHigh));
}

int64_t Sizes::multiple(int64_t of, int64_t low, int64_t high) {
  if (range_ == SizeRange::kBeyond) return prime(std::max<int64_t>(2, low / of), std::max<int64_t>(2, high / of), of);
  return std::clamp(of * static_cast<int64_t>(std::lround(log_uniform(low, high) / static_cast<double>(of))), of, high / of * of);
}

int64_t Sizes::one_of(std::initializer_list<int64_t> values) { return values.begin()[rng_.below(values.size())]; }

}  // namespace tlm::collect
