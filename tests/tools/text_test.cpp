// Tables, names and comparisons as people see them.
#include <gtest/gtest.h>

#include <cmath>

#include "tlm/tools/tlm/compare.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

TEST(Text, Tables) {
  EXPECT_EQ(table_text({{"name", "ms"}, {"a", "1.50"}, {"longer", "12.00"}}),
            "name       ms\n------  -----\na        1.50\nlonger  12.00\n");
  EXPECT_EQ(table_text({{"K", "name", "note"}, {"10", "\u00e9", ""}, {"9", "b\n", "x"}}, "rll"),
            " K  name   note\n--  -----  ----\n10  \u00e9\n 9  b\\x0a  x\n");
}

TEST(Text, Printable) {
  EXPECT_EQ(printable("plain é"), "plain é");
  EXPECT_EQ(printable("a\x1b[31m\n\x7f"), "a\\x1b[31m\\x0a\\x7f");
  EXPECT_EQ(printable("a\nb\r", true), "a\nb\\x0d");
}

TEST(Text, Numbers) {
  EXPECT_EQ(number(1234.56), "1234.6");
  EXPECT_EQ(number(12.345), "12.35");
  EXPECT_EQ(number(0.12345), "0.1235");
}

Tensor floats(const std::vector<float>& v) {
  Tensor t(DType::kF32, {static_cast<int64_t>(v.size())});
  std::copy(v.begin(), v.end(), t.mutable_as<float>().begin());
  return t;
}

TEST(Compare, Bounds) {
  const Tolerance relative{1e-3, 0, 0}, of_max{0, 1e-3, 0}, absolute{0, 0, 1e-3};
  EXPECT_TRUE(compare(floats({1000.9f, 1}), floats({1000, 1}), relative).ok);
  EXPECT_FALSE(compare(floats({1000, 1.01f}), floats({1000, 1}), relative).ok);
  EXPECT_TRUE(compare(floats({1000, 1.9f}), floats({1000, 1}), of_max).ok);
  EXPECT_FALSE(compare(floats({1000, 2.1f}), floats({1000, 1}), of_max).ok);
  EXPECT_TRUE(compare(floats({0.0009f}), floats({0}), absolute).ok);
  const Comparison c = compare(floats({1, 2, 3}), floats({1, 5, 9}), relative);
  EXPECT_EQ(c.wrong, 2);
  EXPECT_EQ(c.max_error, 6);
}

TEST(Compare, SpecialValues) {
  const float nan = NAN, inf = INFINITY;
  EXPECT_TRUE(compare(floats({nan, inf, -inf}), floats({nan, inf, -inf}), {}).ok);
  EXPECT_FALSE(compare(floats({nan}), floats({1}), {}).ok);
  EXPECT_FALSE(compare(floats({1}), floats({nan}), {}).ok);
  EXPECT_FALSE(compare(floats({1}), floats({inf}), {}).ok);
  EXPECT_FALSE(compare(floats({inf}), floats({-inf}), {}).ok);
  EXPECT_FALSE(compare(floats({inf}), floats({1}), {}).ok);
}

}  // namespace
}  // namespace tlm::tools
