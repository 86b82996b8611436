#include "tlm/core/hash.h"

#include <bit>
#include <cstring>

namespace tlm {
namespace {

static_assert(std::endian::native == std::endian::little, "hashes read words as little-endian");

constexpr uint64_t kFnvPrime = 0x100000001b3ull;
// Odd constants with well-spread bits: the fractional parts of sqrt(2), sqrt(3), sqrt(5), sqrt(7), in 64 bits.
constexpr uint64_t kRoot2 = 0x6a09e667f3bcc909ull;
constexpr uint64_t kRoot3 = 0xbb67ae8584caa73bull;
constexpr uint64_t kRoot5 = 0x3c6ef372fe94f82bull;
constexpr uint64_t kRoot7 = 0xa54ff53a5f1d36f1ull;

// A bijection whose every output bit depends on every input bit.
uint64_t avalanche(uint64_t x) {
  x ^= x >> 32;
  x *= kRoot3;
  x ^= x >> 29;
  x *= kRoot7;
  x ^= x >> 32;
  return x;
}

// High and low half of the 128-bit product, folded.
uint64_t fold_product(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t load_word(const unsigned char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

}  // namespace

Hasher& Hasher::bytes(const void* data, size_t n) {
  const auto* p = static_cast<const unsigned char*>(data);
  uint64_t state = state_;
  for (size_t i = 0; i < n; ++i) state = (state ^ p[i]) * kFnvPrime;
  state_ = state;
  return *this;
}

Hasher& Hasher::text(std::string_view s) {
  number(static_cast<int64_t>(s.size()));
  return bytes(s.data(), s.size());
}

Hasher& Hasher::number(int64_t v) { return bytes(&v, sizeof v); }

uint64_t Hasher::value() const { return avalanche(state_); }

std::string Hasher::hex() const { return to_hex(value()); }

uint64_t hash_bytes(const void* data, size_t n) {
  const auto* p = static_cast<const unsigned char*>(data);
  uint64_t lanes[4] = {kRoot2 ^ n, kRoot3, kRoot5, kRoot7};
  constexpr uint64_t kKeys[4] = {kRoot7, kRoot5, kRoot2, kRoot3};
  size_t left = n;
  // Four independent chains of 8 bytes each: the multiplications overlap.
  for (; left >= 32; left -= 32, p += 32)
    for (int i = 0; i < 4; ++i) lanes[i] = fold_product(lanes[i] ^ load_word(p + 8 * i), kKeys[i]) + std::rotl(lanes[i], 23);
  unsigned char tail[32] = {};
  if (left) std::memcpy(tail, p, left);
  for (int i = 0; i < 4; ++i) lanes[i] = fold_product(lanes[i] ^ load_word(tail + 8 * i), kKeys[i]) + std::rotl(lanes[i], 23);
  uint64_t result = lanes[0];
  for (int i = 1; i < 4; ++i) result = avalanche(result ^ std::rotl(lanes[i], 16 * i));
  return avalanche(result ^ n);
}

std::string to_hex(uint64_t v) {
  std::string text(16, '0');
  for (size_t i = 16; i-- > 0; v >>= 4) text[i] = "0123456789abcdef"[v & 15];
  return text;
}

}  // namespace tlm
