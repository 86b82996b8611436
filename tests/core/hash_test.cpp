#include "tlm/core/hash.h"

#include <bit>
#include <set>
#include <vector>

#include "support.h"
#include "tlm/core/rng.h"

namespace tlm {
namespace {

std::string hash_hex(std::string_view text) { return to_hex(hash_bytes(text.data(), text.size())); }

// Stored in packages, caches and records: these values never change.
TEST(Hash, GoldenValues) {
  EXPECT_EQ(Hasher().hex(), "467ddcadea9e7e8d");
  EXPECT_EQ(Hasher().text("").hex(), "1bf226722e1f2be1");
  EXPECT_EQ(Hasher().text("conv1").number(-7).hex(), "c4e371c44886bc36");
  EXPECT_EQ(Hasher().bytes("abc", 3).hex(), "4f6ad62e4dc9d1bf");
  EXPECT_EQ(hash_hex(""), "517cc6727efa53f7");
  EXPECT_EQ(hash_hex("a"), "fd360d90f9fd3352");
  EXPECT_EQ(hash_hex("0123456789abcdef0123456789abcdef"), "b8b755fd4043812f");
  EXPECT_EQ(hash_hex("0123456789abcdef0123456789abcdef!"), "a2a44f67bbc79ae8");
}

TEST(Hash, Hex) {
  EXPECT_EQ(to_hex(0), "0000000000000000");
  EXPECT_EQ(to_hex(0x0123456789abcdefull), "0123456789abcdef");
  EXPECT_EQ(to_hex(UINT64_MAX), "ffffffffffffffff");
}

TEST(Hasher, BytesMayComeInParts) {
  EXPECT_EQ(Hasher().bytes("abcdef", 6).value(), Hasher().bytes("abc", 3).bytes("def", 3).value());
}

TEST(Hasher, TextsAreKeptApart) {
  EXPECT_NE(Hasher().text("ab").text("c").value(), Hasher().text("a").text("bc").value());
  EXPECT_NE(Hasher().text("a").value(), Hasher().text("a").text("").value());
}

TEST(HashBytes, LengthAndEveryByteCount) {
  std::set<uint64_t> seen;
  std::vector<unsigned char> data(200, 0);
  for (size_t n = 0; n <= data.size(); ++n) EXPECT_TRUE(seen.insert(hash_bytes(data.data(), n)).second) << n;
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = 1;
    EXPECT_TRUE(seen.insert(hash_bytes(data.data(), data.size())).second) << i;
    data[i] = 0;
  }
}

// One bit of input changes about half of the bits of the result.
TEST(HashBytes, Avalanche) {
  Rng rng(1);
  std::vector<uint64_t> data(16);
  for (uint64_t& w : data) w = rng.next();
  const uint64_t before = hash_bytes(data.data(), 128);
  for (int bit = 0; bit < 1024; ++bit) {
    data[bit / 64] ^= uint64_t{1} << bit % 64;
    const int changed = std::popcount(before ^ hash_bytes(data.data(), 128));
    EXPECT_GT(changed, 12) << bit;
    EXPECT_LT(changed, 52) << bit;
    data[bit / 64] ^= uint64_t{1} << bit % 64;
  }
}

TEST(HashBytes, AlignmentDoesNotMatter) {
  std::vector<unsigned char> data(300);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 37);
  const uint64_t expected = hash_bytes(data.data(), 256);
  for (size_t shift = 1; shift < 16; ++shift) {
    std::vector<unsigned char> moved(shift);
    moved.insert(moved.end(), data.begin(), data.begin() + 256);
    EXPECT_EQ(hash_bytes(moved.data() + shift, 256), expected);
  }
}

}  // namespace
}  // namespace tlm
