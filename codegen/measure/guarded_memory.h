// Memory between two pages that cannot be touched: a program that runs over its buffers ends there.
#pragma once

#include <cstddef>

namespace tlm::codegen {

class GuardedMemory {
 public:
  // 64-byte aligned; fewer than 64 bytes lie between its end and the guard. Zeroed. Throws Error(kEnvironment) without memory.
  explicit GuardedMemory(size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }
  void make_read_only() const;

 private:
  std::byte* map_ = nullptr;
  size_t mapped_ = 0, bytes_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace tlm::codegen
