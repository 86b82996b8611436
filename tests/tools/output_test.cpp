// Where results go: files that appear whole or not at all, streams that are full or closed.
#include <gtest/gtest.h>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

// A path that cannot be written is told before the work, and nothing else is written.
TEST(Output, PathsThatCannotBeWritten) {
  const Sandbox s;
  s.package("tiny_mlp");
  std::filesystem::create_directory(s.path("folder"));
  s.write("file", "precious");
  for (const char* command :
       {"compile tiny_mlp.onnx -o", "compile tiny_mlp.onnx -o a.tlm --report", "compile tiny_mlp.onnx -o a.tlm --emit-schedules",
        "bench tiny_mlp.tlm --json", "zoo tiny_mlp -o"}) {
    std::vector<std::string> arguments = words(command);
    arguments.push_back("folder");
    s.refuses(arguments, 5, "Is a directory\n  at: ");
    arguments.back() = "nowhere/file";
    s.refuses(arguments, 5, "No such file or directory");
    arguments.back() = "file/below";
    s.refuses(arguments, 5, "Not a directory");
    arguments.back() = std::string(300, 'x');
    s.refuses(arguments, 5, "File name too long");
  }
  s.refuses(words("run tiny_mlp.tlm --output-dir file"), 5, "cannot create the folder");
  s.refuses(words("run tiny_mlp.tlm --output-dir file/below"), 5, "cannot create the folder");
}

TEST(Output, AFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Sandbox s;
  s.package("tiny_mlp");
  s.refuses(words("compile tiny_mlp.onnx -o /dev/full"), 5, "No space left on device");
  s.refuses(words("zoo tiny_mlp -o /dev/full"), 5, "No space left on device");
  s.refuses(words("bench tiny_mlp.tlm --repeat 1 --json /dev/full"), 5, "No space left on device");
  for (const char* command : {"--help", "--version", "target", "run tiny_mlp.tlm", "inspect tiny_mlp.onnx --sentence",
                              "compile tiny_mlp.onnx --explain 0"}) {
    const Outcome r = s.shell(std::string("$TLM ") + command + " >/dev/full");
    EXPECT_EQ(r.code, 5) << command;
    EXPECT_NE(r.out.find("cannot write to standard output"), std::string::npos) << r.out;
  }
}

TEST(Output, ALimitOfFileSizes) {
  const Sandbox s;
  s.package("tiny_mlp");
  const auto before = s.files();
  const Outcome r = s.shell("ulimit -f 2; $TLM compile tiny_mlp.onnx -o a.tlm");
  EXPECT_EQ(r.code, 5) << r.out;
  EXPECT_EQ(s.files(), before);
  EXPECT_TRUE(std::filesystem::is_empty(s.temp()));
}

// `tlm … | head`: the reader had enough, which is no error, and the work is finished.
TEST(Output, AReaderThatGoesAway) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  Outcome r = s.shell("$TLM inspect tiny_cnn.onnx --sentence | head -1 >/dev/null; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(r.out, "0\n");
  r = s.shell("$TLM compile tiny_cnn.onnx --explain 0 -o a.tlm --no-cache 2>&1 | true; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(r.out, "0\n");
  EXPECT_TRUE(s.exists("a.tlm"));
  EXPECT_TRUE(std::filesystem::is_empty(s.temp()));
}

// Closed descriptors must not be handed to files, which messages would then be written into.
TEST(Output, ClosedStreams) {
  const Sandbox s;
  s.package("tiny_mlp");
  Outcome r = s.shell("$TLM compile tiny_mlp.onnx -o a.tlm <&- >&- 2>&-");
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(s.read("a.tlm") == s.read("tiny_mlp.tlm"));
  r = s.shell("$TLM compile tiny_mlp.onnx --explain 0 -o b.tlm <&- >&- 2>&-");
  EXPECT_EQ(r.code, 5) << "what was to be printed is lost";
  EXPECT_TRUE(s.read("b.tlm") == s.read("tiny_mlp.tlm"));
}

// Devices and pipes are written in place, links are followed.
TEST(Output, SpecialFiles) {
  const Sandbox s;
  s.package("tiny_mlp");
  EXPECT_EQ(s.tlm(words("compile tiny_mlp.onnx -o /dev/null --report /dev/null")).code, 0);
  EXPECT_EQ(s.shell("$TLM compile tiny_mlp.onnx -o /dev/stdout 2>/dev/null | cmp - tiny_mlp.tlm").code, 0);
  EXPECT_EQ(s.shell("ln -s real.tlm link.tlm; touch real.tlm; $TLM compile tiny_mlp.onnx -o link.tlm 2>/dev/null && test -L "
                    "link.tlm && cmp real.tlm tiny_mlp.tlm")
                .code,
            0);
}

TEST(Output, ProgressGoesToStandardError) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  const Outcome r = s.tlm(words("compile tiny_mlp.onnx -o a.tlm"));
  EXPECT_EQ(r.out, "");
  for (const char* stage : {"schedule ", "lower ", "compile ", "tlm: wrote a.tlm: 3 subgraphs (3 distinct)"})
    EXPECT_NE(r.err.find(stage), std::string::npos) << r.err;
}

}  // namespace
}  // namespace tlm::tools::test
