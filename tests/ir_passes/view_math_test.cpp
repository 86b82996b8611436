#include "tlm/ir/partition/view_math.h"

#include <gtest/gtest.h>

#include "tlm/core/rng.h"
#include "tlm/ir/graph/graph.h"
#include "tlm/ir/passes/layout_order.h"

namespace tlm::ir {
namespace {

using ints = std::vector<int64_t>;

// Addresses of all elements in row-major order of the indices.
ints addresses(const Shape& shape, const ints& strides) {
  ints result;
  const int64_t count = element_count(shape);
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat, address = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      address += rest % shape[d] * strides[d];
      rest /= shape[d];
    }
    result.push_back(address);
  }
  return result;
}

TEST(ViewMath, ReshapeStrides) {
  EXPECT_EQ(reshape_strides({2, 3, 4}, {12, 4, 1}, {6, 4}), (ints{4, 1}));
  EXPECT_EQ(reshape_strides({2, 3, 4}, {24, 8, 1}, {6, 4}), (ints{8, 1}));
  EXPECT_EQ(reshape_strides({2, 3, 4}, {12, 4, 1}, {24}), (ints{1}));
  EXPECT_EQ(reshape_strides({2, 3, 4}, {24, 8, 1}, {24}), std::nullopt);  // rows lie apart
  EXPECT_EQ(reshape_strides({4, 6}, {6, 1}, {6, 4}), (ints{4, 1}));       // dense: any shape
  EXPECT_EQ(reshape_strides({4, 6}, {1, 4}, {6, 4}), std::nullopt);       // transposed: none
  EXPECT_EQ(reshape_strides({4, 6}, {1, 4}, {2, 2, 6}), (ints{2, 1, 4}));
  EXPECT_EQ(reshape_strides({}, {}, {1, 1}), (ints{1, 1}));
  EXPECT_EQ(reshape_strides({1, 5}, {99, 3}, {5}), (ints{3}));
}

// Random dense layouts and shapes: strides, where given, reach the same addresses; where refused, no strides could.
TEST(ViewMath, RandomReshapes) {
  Rng rng(3);
  int views = 0, refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const auto random_shape = [&] {
      // Factors of 2·2·3·2 spread over up to four dimensions.
      Shape s(1 + rng.below(4), 1);
      for (int64_t f : {2, 2, 3, 2}) s[rng.below(s.size())] *= f;
      return s;
    };
    const Shape from = random_shape(), to = random_shape();
    std::vector<int> order(from.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int>(d);
    for (size_t d = order.size(); d > 1; --d) std::swap(order[d - 1], order[rng.below(d)]);
    const ints strides = physical_strides(from, order);
    const auto result = reshape_strides(from, strides, to);
    if (result) {
      ++views;
      EXPECT_EQ(addresses(from, strides), addresses(to, *result)) << to_string(from) << " " << to_string(to);
    } else {
      ++refused;
      // Every dimension's stride is fixed by the address of its second index; with those, some address must differ.
      const ints at = addresses(from, strides);
      ints forced(to.size(), 0);
      int64_t step = 1;
      for (size_t d = to.size(); d-- > 0;) {
        if (to[d] > 1) forced[d] = at[static_cast<size_t>(step)];
        step *= to[d];
      }
      EXPECT_NE(at, addresses(to, forced)) << to_string(from) << " " << to_string(to);
    }
    const auto refined = common_refinement(from, to);
    ASSERT_TRUE(refined || from != to);
    if (refined) {
      const auto fine = reshape_strides(from, strides, *refined);
      ASSERT_TRUE(fine) << to_string(from) << " as " << to_string(*refined);
      EXPECT_EQ(addresses(from, strides), addresses(*refined, *fine));
    }
  }
  EXPECT_GT(views, 300);
  EXPECT_GT(refused, 300);
}

TEST(ViewMath, CommonRefinement) {
  EXPECT_EQ(common_refinement({4, 6}, {24}), (Shape{4, 6}));
  EXPECT_EQ(common_refinement({2, 12}, {4, 6}), (Shape{2, 2, 6}));
  EXPECT_EQ(common_refinement({4, 6}, {6, 4}), std::nullopt);
  EXPECT_EQ(common_refinement({1, 1}, {1}), (Shape{}));
}

TEST(LayoutOrder, Reshaped) {
  using order = std::vector<int>;
  EXPECT_EQ(channels_last(4), (order{0, 2, 3, 1}));
  EXPECT_EQ(channels_last(2), order{});
  // Channels split in two, and joined again.
  EXPECT_EQ(reshaped_order({1, 6, 4, 5}, {0, 2, 3, 1}, {1, 2, 3, 4, 5}), (order{0, 3, 4, 1, 2}));
  EXPECT_EQ(reshaped_order({1, 2, 3, 4, 5}, {0, 3, 4, 1, 2}, {1, 6, 4, 5}), (order{0, 2, 3, 1}));
  EXPECT_EQ(reshaped_order({2, 6, 4, 5}, {0, 2, 3, 1}, {2, 6, 20}), (order{0, 2, 1}));
  EXPECT_EQ(reshaped_order({2, 6, 4, 5}, {0, 2, 3, 1}, {2, 120}), order{});  // no view
  EXPECT_TRUE(row_major_anyway({3, 7, 1, 1}, {0, 2, 3, 1}));
  EXPECT_FALSE(row_major_anyway({3, 7, 1, 2}, {0, 2, 3, 1}));
}

}  // namespace
}  // namespace tlm::ir
