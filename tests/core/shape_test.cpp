#include "tlm/core/shape.h"

#include "support.h"

namespace tlm {
namespace {

constexpr int64_t k2To62 = int64_t{1} << 62;

TEST(Shape, ElementCount) {
  const std::pair<Shape, int64_t> cases[] = {
      {{}, 1},        {{0}, 0}, {{7}, 7}, {{1, 64, 56, 56}, 200704}, {{k2To62}, k2To62}, {{1 << 20, 1 << 20, 1 << 22}, k2To62},
      {{5, 0, 3}, 0},
  };
  for (const auto& [shape, count] : cases) EXPECT_EQ(element_count(shape), count) << to_string(shape);
}

TEST(Shape, RefusesNegativeAndOverflowingExtents) {
  test::expect_error(ErrorCode::kBadModel, "negative extent -1 in shape [2,-1]", [] { element_count({2, -1}); });
  test::expect_error(ErrorCode::kBadModel, "negative", [] { element_count({0, INT64_MIN}); });
  test::expect_error(ErrorCode::kBadModel, "2^62", [] { element_count({k2To62, 2}); });
  test::expect_error(ErrorCode::kBadModel, "2^62", [] { element_count({k2To62 + 1}); });
  test::expect_error(ErrorCode::kBadModel, "2^62", [] { element_count({INT64_MAX, INT64_MAX, INT64_MAX}); });
  test::expect_error(ErrorCode::kBadModel, "2^62", [] { element_count({0, k2To62, k2To62}); });
  test::expect_error(ErrorCode::kBadModel, "2^62", [] { element_count({k2To62, k2To62, 0}); });
}

TEST(Shape, Strides) {
  EXPECT_EQ(row_major_strides({}), std::vector<int64_t>{});
  EXPECT_EQ(row_major_strides({5}), std::vector<int64_t>{1});
  EXPECT_EQ(row_major_strides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
}

TEST(Shape, Text) {
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(Shape{1, 64, 56, 56}), "[1,64,56,56]");
}

}  // namespace
}  // namespace tlm
