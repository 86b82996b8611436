#include "tlm/codegen/measure/cold_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"
#include "tlm/core/target.h"

namespace tlm::codegen {

namespace {

constexpr size_t kPage = 4096;  // the smallest

}  // namespace

ColdMemory::ColdMemory(size_t bytes) : bytes_((bytes + 63) / 64 * 64) {
  void* map = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    throw Error(ErrorCode::kEnvironment,
                "no memory for weights of " + std::to_string(bytes_) + " bytes: " + std::string(std::strerror(errno)));
  data_ = static_cast<std::byte*>(map);
  std::vector<float> pattern(size_t{1} << 18);
  Rng rng(1);
  for (float& x : pattern) x = static_cast<float>(rng.normal());
  const size_t pattern_bytes = pattern.size() * sizeof(float);
  for (size_t at = 0; at < bytes_; at += pattern_bytes)
    std::memcpy(data_ + at, pattern.data(), std::min(pattern_bytes, bytes_ - at));
  mprotect(data_, bytes_, PROT_READ);
}

ColdMemory::~ColdMemory() { munmap(data_, bytes_); }

void ColdMemory::touch() const {
  for (size_t at = 0; at < bytes_; at += kPage) static_cast<void>(*static_cast<const volatile std::byte*>(data_ + at));
}

const std::byte* ColdMemory::next(size_t bytes) {
  TLM_CHECK(bytes <= bytes_) << bytes << " of " << bytes_;
  if (at_ + bytes > bytes_) at_ = 0;
  const std::byte* window = data_ + at_;
  at_ += (bytes + 63) / 64 * 64;
  return window;
}

size_t cold_bytes(size_t needed, uint64_t limit) {
  static const auto last_level = static_cast<uint64_t>(host_target().l3_kb) << 10;
  const uint64_t wanted = std::min(std::max(2 * last_level, uint64_t{64} << 20), limit);
  return std::max(needed + 64, static_cast<size_t>(wanted));
}

}  // namespace tlm::codegen
