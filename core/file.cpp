#include "tlm/core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"

namespace tlm {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;

[[noreturn]] void fail(const std::string& action, const std::string& path, int error) {
  std::string hint;
  if (error == ENOSPC || error == EDQUOT) hint = "free some disk space or choose another folder";
  if (error == EACCES || error == EPERM || error == EROFS) hint = "check the permissions of the file and its folder";
  throw Error(ErrorCode::kEnvironment, "cannot " + action + ": " + std::strerror(error), path, hint);
}

int open_retry(const char* path, int flags) {
  int descriptor;
  do descriptor = ::open(path, flags | O_CLOEXEC);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

// Closes on every way out of a scope.
struct Descriptor {
  int value = -1;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

// Creates a file of a name that nobody can foretell; the kernel applies the umask to `mode`. Sets `name`.
int create_unique(const std::filesystem::path& folder, mode_t mode, std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) return -1;
    name = (folder / (".tlm-" + to_hex(random))).string();
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || (errno != EEXIST && errno != EINTR)) return descriptor;
  }
  return -1;
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file{open_retry(path.c_str(), O_RDONLY | O_NONBLOCK)};  // non-blocking: a pipe must not hang the open
  if (file.value < 0) fail("open the file", path.string(), errno);
  return from_descriptor(file.value, path.string());
}

std::shared_ptr<const MappedFile> MappedFile::from_descriptor(int descriptor, const std::string& name) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) fail("examine the file", name, errno);
  if (S_ISDIR(info.st_mode)) fail("read the file", name, EISDIR);
  if (!S_ISREG(info.st_mode)) throw Error(ErrorCode::kEnvironment, "not a regular file", name, "copy it to a file first");
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->size_ = static_cast<size_t>(info.st_size);
  if (file->size_ == 0) return file;
  void* data = ::mmap(nullptr, file->size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) {
    file->size_ = 0;
    fail("map the file", name, errno);
  }
  file->data_ = static_cast<const std::byte*>(data);
  return file;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

std::string read_file(const std::filesystem::path& path, size_t max_bytes) {
  const Descriptor file{open_retry(path.c_str(), O_RDONLY)};
  if (file.value < 0) fail("open the file", path.string(), errno);
  std::string contents;
  struct stat info {};
  if (::fstat(file.value, &info) == 0 && S_ISREG(info.st_mode) && static_cast<uint64_t>(info.st_size) <= max_bytes)
    contents.reserve(static_cast<size_t>(info.st_size) + 1);
  for (;;) {
    const size_t before = contents.size();
    contents.resize(std::max(contents.capacity(), before + kBufferBytes));
    const ssize_t got = ::read(file.value, contents.data() + before, contents.size() - before);
    const int error = errno;
    contents.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && error == EINTR) continue;
    if (got < 0) fail("read the file", path.string(), error);
    if (got == 0) return contents;
    if (contents.size() > max_bytes)
      throw Error(ErrorCode::kEnvironment, "the file is larger than " + std::to_string(max_bytes) + " bytes", path.string());
  }
}

AtomicFile::AtomicFile(std::filesystem::path path, Options options) : path_(std::move(path)), options_(options) {
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) fail("write the file", path_.string(), EISDIR);
    if (!S_ISREG(info.st_mode)) {  // a device or pipe: renaming over it would replace it
      descriptor_ = open_retry(path_.c_str(), O_WRONLY);
      if (descriptor_ < 0) fail("write", path_.string(), errno);
      return;
    }
    path_ = std::filesystem::canonical(path_);  // a link stays, what it points to is replaced
  }
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  std::string name;
  descriptor_ = create_unique(folder, options_.is_private ? 0600 : 0666, name);
  if (descriptor_ < 0) fail("create a file in this folder", folder.string(), errno);
  temporary_ = std::move(name);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::write(const void* data, size_t bytes) {
  TLM_CHECK(descriptor_ >= 0) << "write after commit or failure: " << path_.string();
  offset_ += bytes;
  if (buffer_.size() + bytes <= kBufferBytes) {
    buffer_.append(static_cast<const char*>(data), bytes);
    return;
  }
  flush();
  if (bytes <= kBufferBytes) {
    buffer_.assign(static_cast<const char*>(data), bytes);
    return;
  }
  write_now(data, bytes);
}

void AtomicFile::flush() {
  write_now(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::write_now(const void* data, size_t bytes) {
  const auto* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, p, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      discard();
      fail("write the file", path_.string(), error);
    }
    p += written;
    bytes -= static_cast<size_t>(written);
  }
}

void AtomicFile::pad_to(uint64_t alignment) {
  static constexpr char kZeros[4096] = {};
  TLM_CHECK(alignment >= 1);
  uint64_t missing = (alignment - offset_ % alignment) % alignment;
  while (missing > 0) {
    const uint64_t part = std::min<uint64_t>(missing, sizeof kZeros);
    write(kZeros, part);
    missing -= part;
  }
}

void AtomicFile::commit() {
  TLM_CHECK(descriptor_ >= 0) << "commit twice or after a failure: " << path_.string();
  flush();
  const auto must = [this](bool ok, const char* action) {
    if (ok) return;
    const int error = errno;
    discard();
    fail(action, path_.string(), error);
  };
  if (options_.sync && !temporary_.empty()) must(::fsync(descriptor_) == 0, "write the file");
  const int descriptor = std::exchange(descriptor_, -1);
  must(::close(descriptor) == 0, "write the file");
  if (temporary_.empty()) return;
  must(::rename(temporary_.c_str(), path_.c_str()) == 0, "write the file");
  temporary_.clear();
}

void write_file_atomic(const std::filesystem::path& path, std::string_view contents, AtomicFileOptions options) {
  AtomicFile file(path, options);
  file.write(contents);
  file.commit();
}

}  // namespace tlm
