#include "tlm/core/runtime/session_memory.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "tlm/core/error.h"

namespace tlm::runtime {
namespace {

constexpr size_t kAlignment = 64;

}  // namespace

SessionMemory::SessionMemory(const Allocator& allocator, size_t bytes, const char* what)
    : allocator_(allocator), bytes_(bytes), owned_(true) {
  if (bytes == 0) return;
  void* data = allocator.allocate ? allocator.allocate(allocator.user, bytes, kAlignment)
                                  : ::operator new (bytes, std::align_val_t{kAlignment}, std::nothrow);
  const bool aligned = reinterpret_cast<uintptr_t>(data) % kAlignment == 0;
  if (!data || !aligned) {
    if (data && allocator.release) allocator.release(allocator.user, data, bytes);
    throw Error(ErrorCode::kEnvironment, (data ? "the allocator gave unaligned memory for " : "no memory for ") +
                                             std::string(what) + " of " + std::to_string(bytes) + " bytes");
  }
  std::memset(data, 0, bytes);
  data_ = static_cast<std::byte*>(data);
}

SessionMemory::~SessionMemory() {
  if (!owned_ || !data_) return;
  if (!allocator_.allocate)
    ::operator delete (data_, std::align_val_t{kAlignment});
  else if (allocator_.release)
    allocator_.release(allocator_.user, data_, bytes_);
}

SessionMemory::SessionMemory(SessionMemory&& other) noexcept { *this = std::move(other); }

SessionMemory& SessionMemory::operator=(SessionMemory&& other) noexcept {
  std::swap(allocator_, other.allocator_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(owned_, other.owned_);
  return *this;
}

SessionMemory SessionMemory::borrowed(void* data, size_t bytes) {
  SessionMemory memory;
  memory.data_ = static_cast<std::byte*>(data);
  memory.bytes_ = bytes;
  return memory;
}

}  // namespace tlm::runtime
