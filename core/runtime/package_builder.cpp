#include <algorithm>
#include <cstring>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/core/runtime/kernel_abi.h"
#include "tlm/core/runtime/package_format.h"

namespace tlm::runtime {
namespace {

constexpr uint64_t kBlock = uint64_t{1} << 20;  // streamed at once, and hashed at once (section_hash)

uint64_t align_up(uint64_t n) { return (n + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment; }

}  // namespace

struct PackageBuilder::Section {
  SectionKind kind;
  std::vector<SectionPiece> pieces;
  uint64_t bytes;
  uint64_t hash = 0;

  // Bytes [at, at + n) of the section into `out`.
  void read(uint64_t at, uint64_t n, std::byte* out) const {
    std::memset(out, 0, n);
    auto piece = std::partition_point(pieces.begin(), pieces.end(),
                                      [at](const SectionPiece& p) { return p.offset + p.bytes.size() <= at; });
    for (; piece != pieces.end() && piece->offset < at + n; ++piece) {
      const uint64_t from = std::max(at, piece->offset), to = std::min(at + n, piece->offset + piece->bytes.size());
      if (from < to) std::memcpy(out + (from - at), piece->bytes.data() + (from - piece->offset), to - from);
    }
  }

  // Calls visit(data, bytes) for the blocks in order.
  template <typename F>
  void stream(F&& visit) const {
    std::vector<std::byte> block(std::min(kBlock, bytes));
    for (uint64_t at = 0; at < bytes; at += kBlock) {
      const uint64_t n = std::min(kBlock, bytes - at);
      read(at, n, block.data());
      visit(block.data(), n);
    }
  }

  bool same_bytes(const Section& other) const {
    if (kind != other.kind || bytes != other.bytes || hash != other.hash) return false;
    std::vector<std::byte> theirs(std::min(kBlock, bytes));
    bool same = true;
    uint64_t at = 0;
    stream([&](const std::byte* mine, uint64_t n) {
      other.read(at, n, theirs.data());
      same = same && std::memcmp(mine, theirs.data(), n) == 0;
      at += n;
    });
    return same;
  }
};

// Everything but the bytes of the sections.
struct PackageBuilder::Plan {
  std::string manifest;
  std::vector<SectionEntry> entries;
  PackageHeader header;

  // Calls put(data, bytes) for the whole file in order.
  template <typename F>
  void stream(const std::vector<Section>& sections, F&& put) const {
    static constexpr std::byte kZeros[kSectionAlignment] = {};
    uint64_t written = 0;
    const auto emit = [&](const void* data, uint64_t n) {
      put(static_cast<const std::byte*>(data), n);
      written += n;
    };
    emit(&header, sizeof header);
    emit(entries.data(), entries.size() * sizeof(SectionEntry));
    for (size_t i = 0; i < entries.size(); ++i) {
      while (written < entries[i].offset) emit(kZeros, std::min(entries[i].offset - written, kSectionAlignment));
      if (i == 0)
        emit(manifest.data(), manifest.size());
      else
        sections[i - 1].stream(emit);
    }
    TLM_CHECK(written == header.total_bytes) << written << " of " << header.total_bytes;
  }
};

PackageBuilder::PackageBuilder() = default;
PackageBuilder::~PackageBuilder() = default;

int PackageBuilder::add_section(SectionKind kind, std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  return add_section(kind, std::vector<SectionPiece>{{0, bytes, std::move(owner)}}, bytes.size());
}

int PackageBuilder::add_section(SectionKind kind, std::vector<SectionPiece> pieces, uint64_t bytes) {
  uint64_t end = 0;
  for (const SectionPiece& p : pieces) {
    TLM_CHECK(p.offset >= end && p.offset <= bytes && p.bytes.size() <= bytes - p.offset)
        << "piece of " << p.bytes.size() << " bytes at " << p.offset << " in a section of " << bytes;
    end = p.offset + p.bytes.size();
  }
  Section section{kind, std::move(pieces), bytes};
  std::vector<uint64_t> hashes;
  section.stream([&](const std::byte* data, uint64_t n) { hashes.push_back(hash_bytes(data, n)); });
  section.hash = hash_bytes(hashes.data(), hashes.size() * sizeof(uint64_t));
  const auto same = std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.same_bytes(section); });
  if (same == sections_.end()) {
    sections_.push_back(std::move(section));
    return static_cast<int>(sections_.size());  // section 0 is the manifest
  }
  return static_cast<int>(same - sections_.begin()) + 1;
}

PackageBuilder::Plan PackageBuilder::plan(const Manifest& manifest) const {
  Plan plan{manifest_json(manifest), {}, {}};
  const auto* text = reinterpret_cast<const std::byte*>(plan.manifest.data());
  plan.entries.push_back(
      {static_cast<uint32_t>(SectionKind::kManifest), 0, 0, plan.manifest.size(), section_hash({text, plan.manifest.size()})});
  for (const Section& s : sections_) plan.entries.push_back({static_cast<uint32_t>(s.kind), 0, 0, s.bytes, s.hash});
  uint64_t end = sizeof(PackageHeader) + plan.entries.size() * sizeof(SectionEntry);
  for (SectionEntry& entry : plan.entries) {
    entry.offset = align_up(end);
    end = entry.offset + entry.bytes;
  }
  verify_manifest(manifest, plan.entries, "package to be written");

  PackageHeader& h = plan.header;
  std::memcpy(h.magic, kPackageMagic, sizeof h.magic);
  h.format_major = kFormatMajor;
  h.format_minor = kFormatMinor;
  h.runtime_abi = TLM_KERNEL_ABI;
  h.total_bytes = end;
  h.table_offset = sizeof(PackageHeader);
  h.section_count = static_cast<uint32_t>(plan.entries.size());
  h.table_hash = hash_bytes(plan.entries.data(), plan.entries.size() * sizeof(SectionEntry));
  h.header_hash = hash_bytes(&h, offsetof(PackageHeader, header_hash));
  return plan;
}

void PackageBuilder::write(const Manifest& manifest, const std::filesystem::path& path) const {
  const Plan plan = this->plan(manifest);
  AtomicFile file(path);
  plan.stream(sections_, [&file](const std::byte* data, uint64_t n) { file.write(data, n); });
  file.commit();
}

std::vector<std::byte> PackageBuilder::bytes(const Manifest& manifest) const {
  const Plan plan = this->plan(manifest);
  std::vector<std::byte> out(plan.header.total_bytes);
  std::byte* end = out.data();
  plan.stream(sections_, [&end](const std::byte* data, uint64_t n) {
    if (n) std::memcpy(end, data, n);
    end += n;
  });
  return out;
}

}  // namespace tlm::runtime
