#include "tlm/codegen/build/binary_cache.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tlm/codegen/build/temp_folder.h"

namespace fs = std::filesystem;

namespace tlm::codegen {
namespace {

std::vector<std::byte> value(size_t n, int fill) { return std::vector<std::byte>(n, static_cast<std::byte>(fill)); }

TEST(BinaryCache, ReturnsWhatWasPut) {
  const TempFolder folder;
  const BinaryCache cache(folder.path() / "cache");
  EXPECT_EQ(fs::status(cache.folder()).permissions(), fs::perms::owner_all);
  EXPECT_FALSE(cache.get("a"));
  cache.put("a", value(100, 1));
  cache.put("b", value(0, 0));
  ASSERT_TRUE(cache.get("a"));
  EXPECT_EQ(*cache.get("a"), value(100, 1));
  EXPECT_EQ(*cache.get("b"), value(0, 0));
  cache.put("a", value(7, 2));
  EXPECT_EQ(*cache.get("a"), value(7, 2));
}

TEST(BinaryCache, DamagedEntriesAreMisses) {
  const TempFolder folder;
  const BinaryCache cache(folder.path() / "cache");
  cache.put("key", value(200, 3));
  fs::path file;
  for (const auto& e : fs::directory_iterator(cache.folder())) file = e.path();
  const auto size = fs::file_size(file);
  for (uint64_t at = 0; at < size; at += 13) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at));
    const int old = f.get();
    f.seekp(static_cast<std::streamoff>(at));
    f.put(static_cast<char>(old ^ 0x40));
    f.close();
    EXPECT_FALSE(cache.get("key")) << "byte " << at;
    std::fstream g(file, std::ios::in | std::ios::out | std::ios::binary);
    g.seekp(static_cast<std::streamoff>(at));
    g.put(static_cast<char>(old));
  }
  EXPECT_TRUE(cache.get("key"));
  fs::resize_file(file, size / 2);
  EXPECT_FALSE(cache.get("key"));
}

TEST(BinaryCache, OldEntriesGoWhenTheLimitIsPassed) {
  const TempFolder folder;
  const BinaryCache cache(folder.path() / "cache", 10000);
  for (int i = 0; i < 50; ++i) cache.put("key" + std::to_string(i), value(1000, i));
  uint64_t total = 0;
  for (const auto& e : fs::directory_iterator(cache.folder())) total += e.file_size();
  EXPECT_LE(total, 10000u);
  EXPECT_TRUE(cache.get("key49"));
}

TEST(BinaryCache, FolderThatCannotBeWrittenIsNoError) {
  const BinaryCache cache("/proc/tlm-cache");
  cache.put("a", value(10, 1));
  EXPECT_FALSE(cache.get("a"));
}

}  // namespace
}  // namespace tlm::codegen
