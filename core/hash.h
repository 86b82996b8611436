// A stable 64-bit hash: the same on every machine and in every version of a format that stores it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tlm {

// FNV-1a style incremental hasher with a strong finaliser; for names of workloads and cache keys.
class Hasher {
 public:
  Hasher& bytes(const void* data, size_t n);
  Hasher& text(std::string_view s);  // length-prefixed
  Hasher& number(int64_t v);
  uint64_t value() const;
  std::string hex() const;           // 16 hexadecimal digits

 private:
  uint64_t state_ = 0xcbf29ce484222325ull;
};

uint64_t hash_bytes(const void* data, size_t n);  // fast (>= 1 GB/s): content addresses of sections
std::string to_hex(uint64_t v);                   // 16 digits

}  // namespace tlm
