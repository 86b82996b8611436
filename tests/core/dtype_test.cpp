#include "tlm/core/dtype.h"

#include <bit>
#include <cmath>

#include "support.h"
#include "tlm/core/rng.h"

namespace tlm {
namespace {

constexpr int kDTypes = 13;

TEST(DType, NamesAndSizes) {
  const std::pair<const char*, size_t> rows[kDTypes] = {{"f32", 4}, {"f64", 8}, {"f16", 2}, {"bf16", 2}, {"i8", 1},
                                                        {"i16", 2}, {"i32", 4}, {"i64", 8}, {"u8", 1},   {"u16", 2},
                                                        {"u32", 4}, {"u64", 8}, {"bool", 1}};
  for (int i = 0; i < kDTypes; ++i) {
    const auto t = static_cast<DType>(i);
    EXPECT_EQ(dtype_name(t), rows[i].first);
    EXPECT_EQ(dtype_size(t), rows[i].second);
    EXPECT_EQ(parse_dtype(rows[i].first), t);
    EXPECT_EQ(is_float(t), i < 4);
    EXPECT_EQ(is_signed_int(t), i >= 4 && i < 8);
    EXPECT_EQ(is_integer(t), i >= 4 && i < 12);
  }
  EXPECT_EQ(parse_dtype("float"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
  test::expect_error(ErrorCode::kInternal, "dtype 13", [] { dtype_size(static_cast<DType>(13)); });
}

// The definition, without bit tricks.
double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(F16, EveryValueReadsAndComesBack) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float value = f16_to_f32(bits);
    if ((bits & 0x7c00) == 0x7c00) {
      EXPECT_EQ(std::isinf(value), (bits & 0x3ff) == 0) << i;
      EXPECT_EQ(std::isnan(value), (bits & 0x3ff) != 0) << i;
    } else {
      ASSERT_EQ(value, half_value(bits)) << i;
    }
    EXPECT_EQ(std::signbit(value), bits >> 15) << i;
    const uint16_t quiet = std::isnan(value) ? bits | 0x200 : bits;  // a signalling NaN becomes a quiet one
    ASSERT_EQ(f32_to_f16(value), quiet) << i;
  }
}

// Between each pair of neighbours: just below, at and just above the middle.
TEST(F16, RoundsToNearestEvenEverywhere) {
  for (uint16_t lo = 0; lo < 0x7bff; ++lo) {
    const auto hi = static_cast<uint16_t>(lo + 1);
    const auto middle = static_cast<float>((half_value(lo) + half_value(hi)) / 2);  // exact in f32
    const uint16_t even = lo & 1 ? hi : lo;
    for (const int sign : {0, 0x8000}) {
      const float s = sign ? -1.0f : 1.0f;
      ASSERT_EQ(f32_to_f16(s * middle), even | sign) << lo;
      ASSERT_EQ(f32_to_f16(s * std::nextafter(middle, 0.0f)), lo | sign) << lo;
      ASSERT_EQ(f32_to_f16(s * std::nextafter(middle, INFINITY)), hi | sign) << lo;
    }
  }
}

TEST(F16, EdgeCases) {
  const std::pair<float, int> cases[] = {
      {0.0f, 0x0000},
      {-0.0f, 0x8000},
      {1.0f, 0x3c00},
      {65504.0f, 0x7bff},
      {65519.996f, 0x7bff},
      {65520.0f, 0x7c00},
      {1e30f, 0x7c00},
      {-1e30f, 0xfc00},
      {INFINITY, 0x7c00},
      {-INFINITY, 0xfc00},
      {0x1p-24f, 0x0001},
      {0x1p-25f, 0x0000},
      {0x1.000002p-25f, 0x0001},
      {0x1p-26f, 0x0000},
      {0x1p-149f, 0x0000},
      {0x1.ff8p-15f, 0x03ff},
      {0x1.ffbffep-15f, 0x03ff},
      {0x1.ffcp-15f, 0x0400},
      {0x1p-14f, 0x0400},
      {-0x1p-149f, 0x8000},
  };
  for (const auto& [value, bits] : cases) EXPECT_EQ(f32_to_f16(value), bits) << value;
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(NAN))));
  // A NaN whose payload is in the low bits alone must not become infinity.
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(BF16, EveryValueReadsAndComesBack) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float value = bf16_to_f32(bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(value), static_cast<uint32_t>(bits) << 16);
    ASSERT_EQ(f32_to_bf16(value), std::isnan(value) ? bits | 0x40 : bits) << i;
  }
}

TEST(BF16, RoundsToNearestEvenEverywhere) {
  for (uint32_t lo = 0; lo < 0x7f80; ++lo) {
    const uint32_t middle = lo << 16 | 0x8000;
    const uint32_t even = lo & 1 ? lo + 1 : lo;
    for (const uint32_t sign : {0u, 0x8000u}) {
      const auto convert = [&](uint32_t bits) { return f32_to_bf16(std::bit_cast<float>(bits | sign << 16)); };
      ASSERT_EQ(convert(middle), even | sign) << lo;
      ASSERT_EQ(convert(middle - 1), lo | sign) << lo;
      ASSERT_EQ(convert(middle + 1), (lo + 1) | sign) << lo;
    }
  }
}

TEST(BF16, NaNsStayNaNs) {
  for (const uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
    const float back = bf16_to_f32(f32_to_bf16(std::bit_cast<float>(bits)));
    EXPECT_TRUE(std::isnan(back)) << bits;
    EXPECT_EQ(std::signbit(back), bits >> 31);
  }
}

}  // namespace
}  // namespace tlm
