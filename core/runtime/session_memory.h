// Memory of a session, from the application's allocator or the heap.
#pragma once

#include <cstddef>

namespace tlm::runtime {

// Two functions of the application; both null: the C++ heap.
struct Allocator {
  void* user = nullptr;
  void* (*allocate)(void* user, size_t bytes, size_t alignment) = nullptr;  // null when there is none
  void (*release)(void* user, void* data, size_t bytes) = nullptr;
};

// One block, released with its allocator. Zero-filled, 64-byte aligned.
class SessionMemory {
 public:
  SessionMemory() = default;
  // Throws Error(kEnvironment) naming the size; `what` says for whom it is.
  SessionMemory(const Allocator& allocator, size_t bytes, const char* what);
  ~SessionMemory();
  SessionMemory(SessionMemory&& other) noexcept;
  SessionMemory& operator=(SessionMemory&& other) noexcept;

  // Memory of the application, not released.
  static SessionMemory borrowed(void* data, size_t bytes);

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  Allocator allocator_;
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  bool owned_ = false;
};

}  // namespace tlm::runtime
