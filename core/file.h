// Files: mapped for reading, and written so that they appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tlm {

// A whole regular file mapped for reading. The mapping lives as long as the object; a change of the file by others shows
// through, and a file that is cut short while mapped makes later reads fault, so files are replaced and never rewritten.
class MappedFile {
 public:
  // Throws Error(kEnvironment): not there, not readable, not a regular file.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  // The file behind a descriptor, which stays the caller's and may be closed afterwards. `name` is for messages.
  static std::shared_ptr<const MappedFile> from_descriptor(int descriptor, const std::string& name);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::byte* data() const { return data_; }  // page-aligned; null when empty
  size_t size() const { return size_; }

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// The contents of a file of at most `max_bytes`. Pipes and devices can be read too. Throws Error(kEnvironment).
std::string read_file(const std::filesystem::path& path, size_t max_bytes = SIZE_MAX);

struct AtomicFileOptions {
  bool sync = false;        // fsync before the rename: the new contents survive a loss of power
  bool is_private = false;  // readable by the owner alone; else as the umask says
};

// Writes to a temporary file in the same folder; commit() renames it to `path`. Without a commit nothing is left behind.
// A symbolic link is followed. A device or pipe (/dev/stdout) is written in place.
// All functions throw Error(kEnvironment) with the system's reason.
class AtomicFile {
 public:
  using Options = AtomicFileOptions;
  explicit AtomicFile(std::filesystem::path path, Options options = {});
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void pad_to(uint64_t alignment);             // zeros up to a multiple of `alignment`
  uint64_t offset() const { return offset_; }  // bytes written so far
  void commit();

 private:
  void flush();
  void write_now(const void* data, size_t bytes);
  void discard() noexcept;

  std::filesystem::path path_;
  Options options_;
  std::string temporary_;  // empty: written in place
  int descriptor_ = -1;
  uint64_t offset_ = 0;
  std::string buffer_;
};

void write_file_atomic(const std::filesystem::path& path, std::string_view contents, AtomicFileOptions options = {});

}  // namespace tlm
