// Compiled objects kept between runs, keyed by everything that determines their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tlm::codegen {

// One file for each entry, in a folder of mode 0700. Several processes may share it: an entry appears whole (temporary file,
// then rename), is checked against its hash before it is used, and the least recently used ones go when the limit is passed.
// Trouble with the cache is never an error: the entry is compiled again.
class BinaryCache {
 public:
  explicit BinaryCache(std::filesystem::path folder, uint64_t max_bytes = uint64_t{512} << 20);

  // `key`: text of all that the value depends on (source, flags, compiler, engine).
  std::optional<std::vector<std::byte>> get(const std::string& key) const;
  void put(const std::string& key, const std::vector<std::byte>& value) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path entry(const std::string& key) const;
  void evict() const;

  std::filesystem::path folder_;
  uint64_t max_bytes_;
};

}  // namespace tlm::codegen
