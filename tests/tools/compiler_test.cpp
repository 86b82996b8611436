// The C compiler is missing, unfit or has no room.
#include <gtest/gtest.h>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

std::vector<std::string> compile(const Sandbox& s, const std::string& cc = "") {
  std::vector<std::string> arguments = {"compile", s.zoo("tiny_mlp"), "-o", "a.tlm", "--no-cache"};
  if (!cc.empty()) arguments.insert(arguments.end(), {"--cc", cc});
  return arguments;
}

// A compiler that answers as one, and then does `rest`.
std::string fake(const Sandbox& s, const std::string& rest) {
  s.write("cc.sh", "#!/bin/sh\ncase \"$1\" in --version|-dumpmachine) echo fake; exit 0;; esac\n" + rest + "\n");
  EXPECT_EQ(s.shell("chmod +x cc.sh").code, 0);
  return "./cc.sh";
}

TEST(Compiler, Missing) {
  const Sandbox s;
  s.refuses(compile(s), 5, "no C compiler for", {"PATH="});
  s.refuses(compile(s), 5, "(Debian: apt-get install", {"PATH=/nowhere"});
  EXPECT_EQ(s.shell("env -u PATH $TLM compile tiny_mlp.onnx -o a.tlm --no-cache").code, 0) << "the system's default path";
}

TEST(Compiler, NotOne) {
  const Sandbox s;
  std::filesystem::create_directory(s.path("folder"));
  s.write("text", "not a program\n");
  for (const char* cc : {"/nowhere/cc", "no-such-compiler", "false", "./folder", "./text"})
    s.refuses(compile(s, cc), 5,
              std::string("not a C compiler: it is not there, or does not answer --version and -dumpmachine\n  at: ") + cc);
  s.write("text", "not a program\n");
  EXPECT_EQ(s.shell("chmod +x text").code, 0);
  s.refuses(compile(s, "./text"), 5, "cannot start './text'");
}

TEST(Compiler, Fails) {
  const Sandbox s;
  s.refuses(compile(s, fake(s, "exit 0")), 5, "the C compiler wrote no file");
  s.refuses(compile(s, fake(s, "echo 'fatal error: no room' >&2; exit 1")), 5,
            "the C compiler failed: fatal error: no room\n  at: ./cc.sh");
  s.refuses(compile(s, fake(s, "kill -9 $$")), 5, "the C compiler was ended by signal 9");
  s.refuses(compile(s, fake(s, "echo 'cc1: error: bad value for -march' >&2; exit 1")), 5, "bad value for -march");
}

// A compiler that does not take the generated source is a bug of tlm.
TEST(Compiler, RejectsTheSource) {
  const Sandbox s;
  const Outcome r = s.tlm(compile(s, fake(s, "echo '<stdin>:7:1: error: what is this' >&2; exit 1")));
  EXPECT_EQ(r.code, 70);
  EXPECT_NE(r.err.find("tlm: internal error: the C compiler rejected generated code"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("what is this"), std::string::npos) << r.err;
  EXPECT_FALSE(s.exists("a.tlm"));
}

TEST(Compiler, TemporaryFolder) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  EXPECT_EQ(s.tlm(compile(s), {"TMPDIR=/nowhere"}).code, 0) << "falls back to /tmp";
  if (geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const Outcome r = s.shell("mkdir closed && chmod 500 closed && TMPDIR=closed $TLM compile tiny_mlp.onnx -o b.tlm --no-cache");
  EXPECT_EQ(r.code, 5);
  EXPECT_NE(r.out.find("set TMPDIR to a folder that can be written"), std::string::npos) << r.out;
}

// The cache helps and never hinders.
TEST(Compiler, CacheThatCannotBeUsed) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  s.write("file", "");
  const std::vector<std::string> arguments = words("compile tiny_mlp.onnx -o a.tlm");
  for (const char* cache :
       {"XDG_CACHE_HOME=/nowhere/at/all", "XDG_CACHE_HOME=/dev/null", "XDG_CACHE_HOME=relative", "XDG_CACHE_HOME="})
    EXPECT_EQ(s.tlm(arguments, {cache, "HOME=/nowhere"}).code, 0) << cache;
  EXPECT_FALSE(s.exists("relative"));
}

TEST(Compiler, DamagedCacheEntriesAreNotUsed) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  const std::string cache = "XDG_CACHE_HOME=" + s.path("cache").string();
  EXPECT_EQ(s.tlm(words("compile tiny_mlp.onnx -o a.tlm"), {cache}).code, 0);
  EXPECT_EQ(s.shell("for f in cache/tlm/*; do printf 'xxxx' | dd of=$f bs=1 seek=$(($(stat -c %s $f) - 100)) conv=notrunc; done "
                    "2>/dev/null")
                .code,
            0);
  EXPECT_EQ(s.tlm(words("compile tiny_mlp.onnx -o b.tlm"), {cache}).code, 0);
  EXPECT_EQ(s.read("a.tlm"), s.read("b.tlm"));
}

}  // namespace
}  // namespace tlm::tools::test
