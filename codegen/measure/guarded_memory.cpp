#include "tlm/codegen/measure/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "tlm/core/error.h"

namespace tlm::codegen {

GuardedMemory::GuardedMemory(size_t bytes) : bytes_(bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t rounded = (bytes + 63) / 64 * 64, inner = (rounded + page - 1) / page * page;
  mapped_ = inner + 2 * page;
  void* map = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED || (inner > 0 && mprotect(static_cast<std::byte*>(map) + page, inner, PROT_READ | PROT_WRITE) != 0)) {
    const std::string reason = std::strerror(errno);
    if (map != MAP_FAILED) munmap(map, mapped_);
    throw Error(ErrorCode::kEnvironment, "no memory for a buffer of " + std::to_string(bytes) + " bytes: " + reason);
  }
  map_ = static_cast<std::byte*>(map);
  data_ = map_ + page + inner - rounded;
  if (bytes > 0) std::memset(data_, 0, bytes);  // no page fault later
}

GuardedMemory::~GuardedMemory() { munmap(map_, mapped_); }

void GuardedMemory::make_read_only() const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (mapped_ > 2 * page) mprotect(map_ + page, mapped_ - 2 * page, PROT_READ);
}

}  // namespace tlm::codegen
