#include "tlm/core/runtime/code_loader.h"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tlm/core/error.h"

namespace tlm::runtime {
namespace {

uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

[[noreturn]] void fail_system(const std::string& what, const std::string& where) {
  const std::string reason = std::strerror(errno);
  throw Error(ErrorCode::kEnvironment, what + ": " + reason, where);
}

using ModuleEntry = const TlmModule* (*)();

}  // namespace

std::string host_arch() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
#error "tlm runs on x86-64 and aarch64"
#endif
}

LoadedCode::LoadedCode(std::span<const std::byte> image, const std::string& where) {
  const ElfImage elf = parse_elf(image, where, page_bytes());
  if (elf.arch != host_arch())
    throw Error(ErrorCode::kUnsupported, "code for " + elf.arch + "; this machine is " + host_arch(), where);
  try {
    map(image, elf, where);
    check_module(elf, where);
  } catch (...) {
    if (base_) munmap(base_, bytes_);
    throw;
  }
}

LoadedCode::~LoadedCode() { munmap(base_, bytes_); }

void LoadedCode::map(std::span<const std::byte> image, const ElfImage& elf, const std::string& where) {
  const uint64_t page = page_bytes();
  bytes_ = (elf.bytes + page - 1) / page * page;
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail_system("no memory for code of " + std::to_string(bytes_) + " bytes", where);
  base_ = static_cast<std::byte*>(memory);
  for (const ElfImage::Segment& s : elf.segments)
    if (s.file_bytes) std::memcpy(base_ + s.address, image.data() + s.file_offset, s.file_bytes);
  for (const ElfImage::Relocation& r : elf.relocations) {
    const uint64_t value = reinterpret_cast<uint64_t>(base_) + r.addend;
    std::memcpy(base_ + r.address, &value, sizeof value);
  }
  uint64_t done = 0;  // pages between segments stay without access
  const auto protect = [&](uint64_t begin, uint64_t end, int access) {
    if (begin < end && mprotect(base_ + begin, end - begin, access) != 0) fail_system("cannot protect code in memory", where);
    done = end;
  };
  for (const ElfImage::Segment& s : elf.segments) {
    const uint64_t begin = s.address / page * page, end = (s.address + s.bytes + page - 1) / page * page;
    protect(done, begin, PROT_NONE);
    protect(begin, end, PROT_READ | (s.write ? PROT_WRITE : 0) | (s.execute ? PROT_EXEC : 0));
  }
  auto* code = reinterpret_cast<char*>(base_);
  __builtin___clear_cache(code, code + bytes_);
}

void LoadedCode::check_module(const ElfImage& elf, const std::string& where) {
  const auto require = [&](bool ok, const std::string& what) {
    if (!ok) throw Error(ErrorCode::kBadModel, "code section: " + what, where);
  };
  const auto base = reinterpret_cast<uint64_t>(base_);
  // Do `bytes` bytes at `pointer` lie in one segment?
  const auto inside = [&](const void* pointer, uint64_t bytes, bool execute) {
    const uint64_t address = reinterpret_cast<uint64_t>(pointer) - base;
    return std::any_of(elf.segments.begin(), elf.segments.end(), [&](const ElfImage::Segment& s) {
      return s.execute == execute && address >= s.address && address - s.address <= s.bytes &&
             bytes <= s.bytes - (address - s.address);
    });
  };
  const auto entry = reinterpret_cast<ModuleEntry>(base + elf.entry);
  const TlmModule* module = entry();
  require(reinterpret_cast<uint64_t>(module) % alignof(TlmModule) == 0 && inside(module, sizeof *module, false),
          "the module table is outside the image");
  if (module->abi != TLM_KERNEL_ABI)
    throw Error(ErrorCode::kUnsupported,
                "code of kernel ABI " + std::to_string(module->abi) + "; this runtime speaks " + std::to_string(TLM_KERNEL_ABI),
                where);
  const auto* phases = module->phases;
  require(module->phase_count == 0 || (reinterpret_cast<uint64_t>(phases) % alignof(TlmPhase) == 0 &&
                                       inside(phases, module->phase_count * sizeof(TlmPhase), false)),
          "the table of phases is outside the image");
  for (uint32_t p = 0; p < module->phase_count; ++p)
    require(inside(reinterpret_cast<const void*>(phases[p]), 1, true), "phase " + std::to_string(p) + " is outside the code");
  module_ = module;
}

}  // namespace tlm::runtime
