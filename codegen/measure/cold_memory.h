// Where measured programs find their weights: memory that has not been touched for a while.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tlm::codegen {

// A ring of random floats larger than the last-level cache. Each run of a program takes the next window of it for its weights;
// until a window comes round again, as much as the whole ring has passed through the cache. What the weights are does not matter
// for time, so windows need not hold any program's own. Worker processes inherit the ring.
class ColdMemory {
 public:
  // Throws Error(kEnvironment) without memory.
  explicit ColdMemory(size_t bytes);
  ~ColdMemory();
  ColdMemory(const ColdMemory&) = delete;
  ColdMemory& operator=(const ColdMemory&) = delete;

  const std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }
  // Reads a byte of each page. In a new process the first access to a page may cost a fault, in a virtual machine even where the
  // guest has mapped it: several times what a matrix-vector product takes to read it.
  void touch() const;
  // The next `bytes` bytes (at most size()), 64-byte aligned.
  const std::byte* next(size_t bytes);

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0, at_ = 0;
};

// Twice the last-level cache of this machine, at least 64 MB, at most `limit`, but at least `needed` (the weights of one
// program).
size_t cold_bytes(size_t needed, uint64_t limit);

}  // namespace tlm::codegen
