#include "tlm/codegen/build/binary_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "tlm/core/hash.h"

namespace fs = std::filesystem;

namespace tlm::codegen {
namespace {

// An entry is this header, the key and the value.
struct Header {
  char magic[8];
  uint64_t key_bytes;
  uint64_t value_bytes;
  uint64_t value_hash;
};
constexpr char kMagic[8] = {'t', 'l', 'm', 'c', 'a', 'c', 'h', '1'};

bool write_all(int fd, const void* data, size_t n) {
  const char* p = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t w = ::write(fd, p, n);
    if (w <= 0) return false;
    p += w;
    n -= static_cast<size_t>(w);
  }
  return true;
}

}  // namespace

BinaryCache::BinaryCache(fs::path folder, uint64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {
  std::error_code ignored;
  fs::create_directories(folder_.parent_path(), ignored);
  ::mkdir(folder_.c_str(), 0700);
}

fs::path BinaryCache::entry(const std::string& key) const {
  Hasher a, b;
  a.text(key);
  b.text("tlm").text(key);
  return folder_ / (a.hex() + b.hex());
}

std::optional<std::vector<std::byte>> BinaryCache::get(const std::string& key) const {
  const fs::path file = entry(key);
  std::ifstream in(file, std::ios::binary);
  Header h;
  if (!in.read(reinterpret_cast<char*>(&h), sizeof h) || std::memcmp(h.magic, kMagic, sizeof kMagic) != 0) return std::nullopt;
  if (h.key_bytes != key.size() || h.value_bytes > max_bytes_) return std::nullopt;
  std::string stored(key.size(), '\0');
  std::vector<std::byte> value(h.value_bytes);
  if (!in.read(stored.data(), static_cast<std::streamsize>(stored.size())) || stored != key) return std::nullopt;
  if (!in.read(reinterpret_cast<char*>(value.data()), static_cast<std::streamsize>(value.size()))) return std::nullopt;
  if (hash_bytes(value.data(), value.size()) != h.value_hash) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);  // for eviction: recently used
  return value;
}

void BinaryCache::put(const std::string& key, const std::vector<std::byte>& value) const {
  std::string temp = (folder_ / "tmp-XXXXXX").string();
  const int fd = ::mkostemp(temp.data(), O_CLOEXEC);
  if (fd < 0) return;
  Header h{};
  std::memcpy(h.magic, kMagic, sizeof kMagic);
  h.key_bytes = key.size();
  h.value_bytes = value.size();
  h.value_hash = hash_bytes(value.data(), value.size());
  bool ok = write_all(fd, &h, sizeof h) && write_all(fd, key.data(), key.size()) && write_all(fd, value.data(), value.size());
  ok = ::close(fd) == 0 && ok;
  if (!ok || ::rename(temp.c_str(), entry(key).c_str()) != 0) ::unlink(temp.c_str());
  evict();
}

void BinaryCache::evict() const {
  struct Entry {
    fs::file_time_type time;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code e1, e2;
    Entry e{it->last_write_time(e1), it->file_size(e2), it->path()};
    if (e1 || e2) continue;
    total += e.bytes;
    entries.push_back(std::move(e));
  }
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& e : entries) {
    if (total <= max_bytes_ * 3 / 4) break;
    fs::remove(e.path, error);
    total -= e.bytes;
  }
}

}  // namespace tlm::codegen
