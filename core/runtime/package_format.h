// The bytes of a package file (.tlm): header, section table, page-aligned sections addressed by their content.
//
//   0            PackageHeader (64 bytes)
//   64           SectionEntry × section_count
//   4096 × k     sections in table order, each at the next multiple of 4096, zero bytes between; section 0 is the manifest
//
// All numbers are little-endian. docs/package-format.md tells the whole story.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tlm/core/runtime/manifest.h"

namespace tlm::runtime {

inline constexpr char kPackageMagic[8] = {'\x7f', 'T', 'L', 'M', 'p', 'k', 'g', '\n'};
inline constexpr uint16_t kFormatMajor = 1;  // a reader refuses a newer major version
inline constexpr uint16_t kFormatMinor = 0;  // a newer minor version only adds what an older reader may ignore
inline constexpr uint64_t kSectionAlignment = 4096;

struct PackageHeader {
  char magic[8];
  uint16_t format_major;
  uint16_t format_minor;
  uint32_t runtime_abi;   // TLM_KERNEL_ABI that the code sections speak
  uint64_t total_bytes;   // of the whole file
  uint64_t table_offset;  // of the section table
  uint32_t section_count;
  uint32_t flags;        // 0
  uint64_t table_hash;   // hash_bytes of the section table
  uint64_t reserved;     // 0
  uint64_t header_hash;  // hash_bytes of the 56 bytes before
};
static_assert(sizeof(PackageHeader) == 64);

// The numbers are part of the format: append only. A reader ignores kinds it does not know.
enum class SectionKind : uint32_t {
  kManifest = 1,  // JSON
  kCode = 2,      // ELF shared object image
  kWeights = 3,   // constants of the kernels
  kDevice = 4,    // code of an accelerator
};

struct SectionEntry {
  uint32_t kind;
  uint32_t flags;   // 0
  uint64_t offset;  // multiple of kSectionAlignment
  uint64_t bytes;
  uint64_t hash;  // section_hash
};
static_assert(sizeof(SectionEntry) == 32);

// Content address of a section: hash_bytes over the hashes of its pieces of 1 MiB (so that it can be computed from a stream).
uint64_t section_hash(std::span<const std::byte> bytes);

// Bytes that go into a section at `offset`. The builder borrows them; `owner` may keep them alive.
struct SectionPiece {
  uint64_t offset = 0;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Collects sections and writes a package. The same manifest and sections give the same bytes.
class PackageBuilder {
 public:
  PackageBuilder();
  ~PackageBuilder();
  // Returns the section's number, as VariantDesc::code_section and weights_section want it. Equal sections of one kind are
  // stored once and have one number. The bytes are borrowed until the package is written (`owner` may keep them alive).
  int add_section(SectionKind kind, std::span<const std::byte> bytes, std::shared_ptr<const void> owner = {});
  // A section of `bytes` bytes made of pieces in ascending order without overlap, zeros between them.
  int add_section(SectionKind kind, std::vector<SectionPiece> pieces, uint64_t bytes);
  // Streams to a temporary file that takes the name `path` when it is whole. Checks the manifest as a loader would.
  // Throws Error(kEnvironment).
  void write(const Manifest& manifest, const std::filesystem::path& path) const;
  // The same bytes in memory.
  std::vector<std::byte> bytes(const Manifest& manifest) const;

 private:
  struct Section;
  struct Plan;
  Plan plan(const Manifest& manifest) const;
  std::vector<Section> sections_;
};

// A package's sections, verified: header, section table, bounds, no overlap.
struct PackageFile {
  PackageHeader header;
  std::vector<SectionEntry> sections;
  std::span<const std::byte> image;  // the whole file, borrowed

  std::span<const std::byte> section(int number) const;
};

// Reads header and section table. `where` names the file in messages. Throws Error(kBadModel); Error(kUnsupported) for a newer
// major version (naming both) and for another runtime ABI. Never reads outside `image`.
PackageFile parse_package(std::span<const std::byte> image, const std::string& where);
// Compares section `number` with its hash. Throws Error(kBadModel).
void verify_section(const PackageFile& file, int number, const std::string& where);
// Verifies and parses the manifest and checks it against the sections (verify_manifest). Throws Error.
Manifest read_manifest(const PackageFile& file, const std::string& where);

// Checks every number of a manifest against the sections: ports, buffers against ports, arena and weights, phases, workspaces,
// runtime calls. Throws Error(kBadModel) naming variant and step.
void verify_manifest(const Manifest& manifest, std::span<const SectionEntry> sections, const std::string& where);

}  // namespace tlm::runtime
