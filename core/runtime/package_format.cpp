#include "tlm/core/runtime/package_format.h"

#include <bit>
#include <cstring>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/core/runtime/kernel_abi.h"

namespace tlm::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "headers are read as they lie in memory");

constexpr size_t kHashedHeaderBytes = offsetof(PackageHeader, header_hash);

void require(bool ok, const std::string& what, const std::string& where) {
  if (!ok) throw Error(ErrorCode::kBadModel, "damaged package: " + what, where, "write or copy the package again");
}

std::string version_text(uint16_t major, uint16_t minor) { return std::to_string(major) + "." + std::to_string(minor); }

PackageHeader read_header(std::span<const std::byte> image, const std::string& where) {
  PackageHeader h;
  const size_t known = std::min(image.size(), sizeof kPackageMagic);
  if (known == 0 || std::memcmp(image.data(), kPackageMagic, known) != 0)
    throw Error(ErrorCode::kBadModel, "not a tlm package", where);
  require(image.size() >= sizeof h, "it ends inside the header", where);
  std::memcpy(&h, image.data(), sizeof h);
  // The version first: another major version may arrange the rest in another way.
  if (h.format_major > kFormatMajor)
    throw Error(ErrorCode::kUnsupported,
                "package format " + version_text(h.format_major, h.format_minor) +
                    " is newer than this runtime, which reads up to " + version_text(kFormatMajor, kFormatMinor),
                where, "update the tlm runtime, or prepare the package with an older tlm");
  require(h.format_major == kFormatMajor, "format " + version_text(h.format_major, h.format_minor), where);
  require(hash_bytes(&h, kHashedHeaderBytes) == h.header_hash, "checksum of the header is wrong", where);
  if (h.runtime_abi != TLM_KERNEL_ABI)
    throw Error(
        ErrorCode::kUnsupported,
        "package for runtime ABI " + std::to_string(h.runtime_abi) + "; this runtime speaks " + std::to_string(TLM_KERNEL_ABI),
        where, "prepare the package again with this version of tlm");
  require(h.total_bytes == image.size(),
          "it has " + std::to_string(image.size()) + " bytes, its header says " + std::to_string(h.total_bytes), where);
  return h;
}

}  // namespace

uint64_t section_hash(std::span<const std::byte> bytes) {
  constexpr size_t kPiece = size_t{1} << 20;
  std::vector<uint64_t> pieces;
  for (size_t at = 0; at < bytes.size(); at += kPiece)
    pieces.push_back(hash_bytes(bytes.data() + at, std::min(kPiece, bytes.size() - at)));
  return hash_bytes(pieces.data(), pieces.size() * sizeof(uint64_t));
}

std::span<const std::byte> PackageFile::section(int number) const {
  TLM_CHECK(number >= 0 && static_cast<size_t>(number) < sections.size()) << "section " << number;
  const SectionEntry& entry = sections[static_cast<size_t>(number)];
  return image.subspan(entry.offset, entry.bytes);
}

PackageFile parse_package(std::span<const std::byte> image, const std::string& where) {
  PackageFile file{read_header(image, where), {}, image};
  const PackageHeader& h = file.header;
  const uint64_t total = h.total_bytes;
  require(h.table_offset >= sizeof(PackageHeader) && h.table_offset <= total &&
              h.section_count <= (total - h.table_offset) / sizeof(SectionEntry),
          "its section table is outside the file", where);
  const uint64_t table_bytes = h.section_count * sizeof(SectionEntry);
  require(hash_bytes(image.data() + h.table_offset, table_bytes) == h.table_hash, "checksum of the section table is wrong",
          where);
  file.sections.resize(h.section_count);
  if (table_bytes) std::memcpy(file.sections.data(), image.data() + h.table_offset, table_bytes);
  require(h.section_count > 0 && file.sections[0].kind == static_cast<uint32_t>(SectionKind::kManifest),
          "its first section is no manifest", where);
  uint64_t end = h.table_offset + table_bytes;  // of what lies before: sections ascend and do not overlap
  for (size_t i = 0; i < file.sections.size(); ++i) {
    const SectionEntry& s = file.sections[i];
    const std::string name = "section " + std::to_string(i);
    require(s.offset % kSectionAlignment == 0, name + " is not aligned", where);
    require(s.offset <= total && s.bytes <= total - s.offset, name + " is outside the file", where);
    require(s.offset >= end, name + " overlaps what lies before it", where);
    end = s.offset + s.bytes;
  }
  return file;
}

void verify_section(const PackageFile& file, int number, const std::string& where) {
  const auto bytes = file.section(number);
  require(section_hash(bytes) == file.sections[static_cast<size_t>(number)].hash,
          "checksum of section " + std::to_string(number) + " is wrong", where);
}

Manifest read_manifest(const PackageFile& file, const std::string& where) {
  verify_section(file, 0, where);
  const auto bytes = file.section(0);
  Manifest manifest;
  try {
    manifest = parse_manifest(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  } catch (const Error& e) {
    throw Error(e.code(), e.message(), where + ": " + e.where());
  }
  verify_manifest(manifest, file.sections, where);
  return manifest;
}

}  // namespace tlm::runtime
