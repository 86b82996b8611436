// Code from memory: an ELF64 shared object image made runnable without a file and without the dynamic linker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tlm/core/runtime/kernel_abi.h"

namespace tlm::runtime {

// What a loader needs of an image, verified: every number lies inside the image.
struct ElfImage {
  struct Segment {
    uint64_t file_offset, file_bytes;
    uint64_t address, bytes;  // relative to the load address; bytes >= file_bytes, the rest is zero
    bool write, execute;      // never both
  };
  struct Relocation {
    uint64_t address;  // of the 8 bytes to write, in a writable segment
    uint64_t addend;   // value: load address + addend
  };
  std::string arch;                     // "x86-64" | "aarch64"
  std::vector<Segment> segments;        // ascending addresses, no page shared
  std::vector<Relocation> relocations;  // R_*_RELATIVE
  uint64_t bytes = 0;                   // from the load address to the last byte of the last segment
  uint64_t entry = 0;                   // address of `tlm_module`
};

// Accepts an ELF64 little-endian shared object for x86-64 or aarch64 that needs nothing from outside: relative relocations only,
// no undefined symbol, no needed library, no thread-local storage, no initialisers. Throws Error(kBadModel) saying what is wrong;
// safe on any bytes. `page` is the size of a memory page of the machine that will run it.
ElfImage parse_elf(std::span<const std::byte> image, const std::string& where, uint64_t page = 4096);

// Code in memory: a segment is writable or executable, never both.
class LoadedCode {
 public:
  // Maps and relocates `image`, calls `tlm_module` and checks that the table it returns lies in the image. Throws
  // Error(kBadModel), Error(kUnsupported) for another architecture or kernel ABI, Error(kEnvironment) without memory.
  LoadedCode(std::span<const std::byte> image, const std::string& where);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  const TlmModule& module() const { return *module_; }

 private:
  void map(std::span<const std::byte> image, const ElfImage& elf, const std::string& where);
  void check_module(const ElfImage& elf, const std::string& where);

  std::byte* base_ = nullptr;
  size_t bytes_ = 0;
  const TlmModule* module_ = nullptr;
};

// "x86-64" or "aarch64": what this process runs on.
std::string host_arch();

}  // namespace tlm::runtime
