#include "tlm/core/median.h"

#include <gtest/gtest.h>

namespace tlm {
namespace {

TEST(Median, OddEvenNone) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({}), 0);
}

}  // namespace
}  // namespace tlm
