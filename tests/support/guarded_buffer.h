// Memory of an exact size that ends at a page which cannot be touched.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tlm::test {

class GuardedBuffer {
 public:
  // `bytes` bytes, each 0x7f at first (a NaN in every float type but f64, where it is a number of 10^306), preceded and followed
  // by guard pages. `end_at_guard`: the last byte touches the following page; else the first byte is 64-byte aligned.
  explicit GuardedBuffer(size_t bytes, bool end_at_guard = true);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }
  void fill(unsigned char value);

 private:
  std::byte* map_ = nullptr;
  size_t mapped_ = 0, bytes_ = 0;
  std::byte* data_ = nullptr;
};

// Runs `body`; "" when it returns, else the fault ("segmentation fault" …) that ended it.
std::string run_catching_faults(const std::function<void()>& body);

}  // namespace tlm::test
