#include "tlm/core/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "support.h"

namespace tlm {
namespace {

using test::expect_error;
using test::TempFolder;

void put(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string text_of(const MappedFile& file) { return {reinterpret_cast<const char*>(file.data()), file.size()}; }

TEST(MappedFile, ShowsTheContentsAndOutlivesTheName) {
  TempFolder folder;
  put(folder / "a", "hello");
  const auto file = MappedFile::open(folder / "a");
  std::filesystem::remove(folder / "a");
  EXPECT_EQ(text_of(*file), "hello");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->data()) % 4096, 0u);
}

TEST(MappedFile, EmptyFile) {
  TempFolder folder;
  put(folder / "a", "");
  EXPECT_EQ(MappedFile::open(folder / "a")->size(), 0u);
  EXPECT_EQ(MappedFile::open(folder / "a")->data(), nullptr);
}

TEST(MappedFile, FromADescriptorThatIsClosedAfterwards) {
  TempFolder folder;
  put(folder / "a", "hello");
  const int descriptor = ::open((folder / "a").c_str(), O_RDONLY);
  const auto file = MappedFile::from_descriptor(descriptor, "a");
  ::close(descriptor);
  EXPECT_EQ(text_of(*file), "hello");
  expect_error(ErrorCode::kEnvironment, "at: gone", [] { MappedFile::from_descriptor(-1, "gone"); });
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  TempFolder folder;
  expect_error(ErrorCode::kEnvironment, "No such file", [&] { MappedFile::open(folder / "missing"); });
  expect_error(ErrorCode::kEnvironment, "Is a directory", [&] { MappedFile::open(folder.path()); });
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_error(ErrorCode::kEnvironment, "not a regular file", [&] { MappedFile::open(folder / "pipe"); });
  expect_error(ErrorCode::kEnvironment, "not a regular file", [] { MappedFile::open("/dev/null"); });
}

TEST(ReadFile, ReadsAnyLengthAndKeepsToTheLimit) {
  TempFolder folder;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{65537}, size_t{300000}}) {
    const std::string text(size, 'x');
    put(folder / "a", text);
    EXPECT_EQ(read_file(folder / "a"), text);
    EXPECT_EQ(read_file(folder / "a", size), text);
    if (size > 0) expect_error(ErrorCode::kEnvironment, "larger than", [&] { read_file(folder / "a", size - 1); });
  }
  expect_error(ErrorCode::kEnvironment, "No such file", [&] { read_file(folder / "missing"); });
  expect_error(ErrorCode::kEnvironment, "larger than 1000 bytes", [] { read_file("/dev/zero", 1000); });
  EXPECT_EQ(read_file("/dev/null"), "");
  expect_error(ErrorCode::kEnvironment, "Is a directory", [&] { read_file(folder.path()); });
}

TEST(AtomicFile, AppearsAtCommit) {
  TempFolder folder;
  AtomicFile file(folder / "out");
  file.write("abc");
  file.pad_to(8);
  EXPECT_EQ(file.offset(), 8u);
  file.pad_to(8);
  file.write(std::string(200000, 'x'));
  file.write("end");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  file.commit();
  EXPECT_EQ(read_file(folder / "out"), std::string("abc\0\0\0\0\0", 8) + std::string(200000, 'x') + "end");
  EXPECT_EQ(folder.entries(), 1u);
  expect_error(ErrorCode::kInternal, "commit twice", [&] { file.commit(); });
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TempFolder folder;
  put(folder / "out", "before");
  {
    AtomicFile file(folder / "out");
    file.write(std::string(100000, 'x'));
    EXPECT_EQ(folder.entries(), 2u);
  }
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_EQ(read_file(folder / "out"), "before");
}

TEST(AtomicFile, Permissions) {
  TempFolder folder;
  const mode_t before = umask(027);
  write_file_atomic(folder / "open", "x");
  write_file_atomic(folder / "private", "x", {.sync = true, .is_private = true});
  umask(before);
  struct stat info {};
  stat((folder / "open").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  stat((folder / "private").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(AtomicFile, FollowsLinks) {
  TempFolder folder;
  std::filesystem::create_directory(folder / "sub");
  put(folder / "sub" / "real", "before");
  std::filesystem::create_symlink("sub/real", folder / "link");
  write_file_atomic(folder / "link", "after");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "sub" / "real"), "after");
}

TEST(AtomicFile, PipesAreWrittenInPlace) {
  TempFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_file_atomic(folder / "pipe", "through");
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(AtomicFile, FullDiskOnADevice) {
  expect_error(ErrorCode::kEnvironment, "No space left on device", [] { write_file_atomic("/dev/full", "x"); });
  expect_error(ErrorCode::kEnvironment, "try: free some disk space",
               [] { write_file_atomic("/dev/full", std::string(1 << 20, 'x')); });
}

// A limit on the size of files stands for a disk that fills while it is written.
TEST(AtomicFile, FailureInTheMiddleLeavesNothingBehind) {
  TempFolder folder;
  put(folder / "out", "before");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string failure;
  bool usable_afterwards = true;
  try {
    AtomicFile file(folder / "out");
    try {
      for (int i = 0; i < 100; ++i) file.write(std::string(5000, 'x'));
      file.commit();
    } catch (const Error& e) {
      failure = e.what();
      try {
        file.commit();
      } catch (const InternalError&) {
        usable_afterwards = false;
      }
    }
  } catch (const std::exception& e) {
    failure = e.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(failure.find("File too large"), std::string::npos) << failure;
  EXPECT_FALSE(usable_afterwards);
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_EQ(read_file(folder / "out"), "before");
}

TEST(AtomicFile, RefusesFoldersAndMissingFolders) {
  TempFolder folder;
  expect_error(ErrorCode::kEnvironment, "Is a directory", [&] { AtomicFile(folder.path()); });
  expect_error(ErrorCode::kEnvironment, "No such file or directory\n  at: " + (folder / "no").string(),
               [&] { write_file_atomic(folder / "no" / "out", "x"); });
}

}  // namespace
}  // namespace tlm
