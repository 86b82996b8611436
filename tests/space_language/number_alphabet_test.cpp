#include "tlm/space/language/number_alphabet.h"

#include <gtest/gtest.h>

#include <map>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"

namespace tlm::space {
namespace {

std::string text(int64_t n) {
  std::vector<Token> t;
  append_number(t, n);
  return to_text(t);
}

int64_t round_trip(int64_t n) {
  std::vector<Token> t;
  append_number(t, n);
  t.push_back(Vocabulary::standard().token("z"));  // what follows does not matter
  size_t at = 0;
  const int64_t back = read_number(t, at);
  EXPECT_EQ(at, t.size() - 1) << n;
  return back;
}

TEST(NumberAlphabet, Table) {
  const std::map<int64_t, std::string> table = {{0, "0"},         {15, "15"},          {16, "b5 z"},      {17, "b5 x1"},
                                                {31, "b5 xf"},    {56, "b6 xc z"},     {57, "b6 xc x8"},  {224, "b8 xc z"},
                                                {512, "b10 z"},   {1000, "b10 xf x4 z"}, {-3, "- 3"},     {-64, "- b7 z"},
                                                {2147483647, "b31 xf xf xf xf xf xf xf xc"}};
  for (const auto& [n, expected] : table) EXPECT_EQ(text(n), expected) << n;
}

TEST(NumberAlphabet, RoundTrips) {
  for (int64_t n = -70000; n <= 70000; ++n) ASSERT_EQ(round_trip(n), n);
  for (int bits = 17; bits < 63; ++bits)
    for (int64_t d = -2; d <= 2; ++d) EXPECT_EQ(round_trip((int64_t{1} << bits) + d), (int64_t{1} << bits) + d);
  EXPECT_EQ(round_trip(INT64_MAX), INT64_MAX);
  EXPECT_EQ(round_trip(-INT64_MAX), -INT64_MAX);
  Rng rng(1);
  for (int i = 0; i < 100000; ++i) {
    const auto n = static_cast<int64_t>(rng.next() >> rng.below(64)) & INT64_MAX;
    ASSERT_EQ(round_trip(n), n);
  }
}

TEST(NumberAlphabet, NoCodeBeginsAnother) {
  std::vector<std::vector<Token>> codes;
  for (int64_t n = -600; n <= 5000; ++n) append_number(codes.emplace_back(), n);
  std::sort(codes.begin(), codes.end());
  for (size_t i = 1; i < codes.size(); ++i) {
    const auto& a = codes[i - 1];
    const auto& b = codes[i];
    EXPECT_FALSE(a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin())) << to_text(a) << " | " << to_text(b);
  }
}

TEST(NumberAlphabet, AxesRoundTrip) {
  for (int axis = -1; axis < 300; ++axis) {
    std::vector<Token> t;
    append_axis(t, axis);
    size_t at = 0;
    EXPECT_EQ(read_axis(t, at), axis);
    EXPECT_EQ(at, t.size());
  }
}

TEST(NumberAlphabet, RefusesWhatIsNoNumber) {
  for (const char* bad : {"z", "x1", "b5", "b10 xf", "- -", "- 0", "<end>", "a1"}) {
    size_t at = 0;
    EXPECT_THROW(read_number(from_text(bad), at), Error) << bad;
  }
  size_t at = 0;
  EXPECT_THROW(read_axis(from_text("7"), at), Error);
}

}  // namespace
}  // namespace tlm::space
