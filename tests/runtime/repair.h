// Makes the checksums of a damaged package right again, so that what lies behind them meets the damage too.
#pragma once

#include <cstring>
#include <vector>

#include "tlm/core/hash.h"
#include "tlm/core/runtime/package_format.h"

namespace tlm::runtime::test {

// Does nothing where header or table do not lie in the image.
inline void repair_checksums(std::vector<std::byte>& image) {
  PackageHeader h;
  if (image.size() < sizeof h) return;
  std::memcpy(&h, image.data(), sizeof h);
  h.total_bytes = image.size();
  if (h.table_offset <= image.size() && h.section_count <= (image.size() - h.table_offset) / sizeof(SectionEntry)) {
    std::vector<SectionEntry> table(h.section_count);
    const size_t bytes = table.size() * sizeof(SectionEntry);
    if (bytes) std::memcpy(table.data(), image.data() + h.table_offset, bytes);
    for (SectionEntry& s : table)
      if (s.offset <= image.size() && s.bytes <= image.size() - s.offset)
        s.hash = section_hash({image.data() + s.offset, s.bytes});
    if (bytes) std::memcpy(image.data() + h.table_offset, table.data(), bytes);
    h.table_hash = hash_bytes(image.data() + h.table_offset, bytes);
  }
  h.header_hash = hash_bytes(&h, offsetof(PackageHeader, header_hash));
  std::memcpy(image.data(), &h, sizeof h);
}

}  // namespace tlm::runtime::test
