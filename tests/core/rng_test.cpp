#include "tlm/core/rng.h"

#include <cmath>
#include <set>
#include <vector>

#include "support.h"

namespace tlm {
namespace {

// Computed with arbitrary-precision integers from the formulas of the publications, not with this code.
TEST(Rng, GoldenSequences) {
  const uint64_t of_0[] = {0x99ec5f36cb75f2b4ull, 0xbf6e1f784956452aull, 0x1a5f849d4933e6e0ull, 0x6aa594f1262d2d2cull};
  const uint64_t of_42[] = {0x15780b2e0c2ec716ull, 0x6104d9866d113a7eull, 0xae17533239e499a1ull, 0xecb8ad4703b360a1ull};
  Rng zero(0), forty_two(42);
  for (const uint64_t expected : of_0) EXPECT_EQ(zero.next(), expected);
  for (const uint64_t expected : of_42) EXPECT_EQ(forty_two.next(), expected);
}

TEST(Rng, DerivedDrawsAreFixedToo) {
  Rng rng(7);
  EXPECT_EQ(rng.below(1000), 994);
  EXPECT_EQ(rng.between(-50, 50), 27);
  EXPECT_DOUBLE_EQ(rng.uniform(), 0.83962746187641979);
  EXPECT_DOUBLE_EQ(rng.normal(), -0.88093740675362475);
  EXPECT_EQ(rng.split(3).next(), 0xcb2db55340a1a3f2ull);
}

TEST(Rng, RangesAreKeptAndReached) {
  Rng rng(1);
  for (const uint64_t n : {1ull, 2ull, 3ull, 7ull, 1000ull}) {
    std::set<uint64_t> seen;
    for (int i = 0; i < 20000; ++i) seen.insert(rng.below(n));
    EXPECT_EQ(seen.size(), n);
    EXPECT_EQ(*seen.rbegin(), n - 1);
  }
  EXPECT_EQ(rng.between(5, 5), 5);
  for (int i = 0; i < 1000; ++i) {
    const double u = rng.uniform();
    EXPECT_GE(u, 0);
    EXPECT_LT(u, 1);
  }
  bool negative = false, positive = false;
  for (int i = 0; i < 100; ++i) (rng.between(INT64_MIN, INT64_MAX) < 0 ? negative : positive) = true;
  EXPECT_TRUE(negative && positive);
  EXPECT_GE(rng.below(UINT64_MAX), 0u);
}

TEST(Rng, BelowIsUniform) {
  Rng rng(2);
  constexpr int kBins = 10, kDraws = 100000;
  int bins[kBins] = {};
  for (int i = 0; i < kDraws; ++i) ++bins[rng.below(kBins)];
  double chi_squared = 0;
  for (const int b : bins) chi_squared += std::pow(b - kDraws / kBins, 2) / (kDraws / kBins);
  EXPECT_LT(chi_squared, 27.9);  // 9 degrees of freedom: 0.1 %
}

TEST(Rng, NormalHasItsMoments) {
  Rng rng(3);
  constexpr int kDraws = 100000;
  double sum = 0, squares = 0, fourths = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
  EXPECT_NEAR(fourths / kDraws, 3, 0.15);
}

TEST(Rng, SplitsAreIndependentAndLeaveTheParent) {
  const Rng parent(9);
  Rng copy = parent;
  std::set<uint64_t> firsts = {copy.next()};
  for (uint64_t stream = 0; stream < 1000; ++stream) EXPECT_TRUE(firsts.insert(parent.split(stream).next()).second) << stream;
  EXPECT_EQ(parent.split(5).next(), parent.split(5).next());
  EXPECT_NE(Rng(9).split(5).next(), Rng(10).split(5).next());
}

TEST(Rng, EmptyRangesAreBugs) {
  Rng rng(0);
  test::expect_error(ErrorCode::kInternal, "n >= 1", [&] { rng.below(0); });
  test::expect_error(ErrorCode::kInternal, "2 > 1", [&] { rng.between(2, 1); });
}

}  // namespace
}  // namespace tlm
