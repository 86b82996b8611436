// Schedules from a file: replayed, or refused with the line or the decision.
#include <gtest/gtest.h>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

TEST(Schedules, BadFilesAreRefused) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  ASSERT_EQ(s.tlm(words("compile tiny_mlp.onnx -o a.tlm --emit-schedules good")).code, 0);
  const std::string good = s.read("good");
  const size_t begin = good.find("# fc1\n") + 6;
  ASSERT_NE(begin, std::string::npos + 6);
  const std::string hash = good.substr(begin, 16);
  const struct {
    std::string text;
    const char* message;
  } kCases[] = {
      {"garbage\n", "16 hexadecimal digits and a space\n  at: bad:1"},
      {"\n# comment\n\nmicro.s0=none\n", "at: bad:4"},
      {std::string("\0\0\0\n", 4), "at: bad:1"},
      {hash.substr(0, 8) + " micro.s0=none\n", "16 hexadecimal digits"},
      {hash + "x micro.s0=none\n", "16 hexadecimal digits"},
      {hash + " micro.s0\n", "a schedule is a list of decision=choice, not 'micro.s0'\n  at: bad:1"},
      {hash + " micro.s0=none; micro.s0=none\n", "'micro.s0' is given twice"},
      {hash + " micro.s0=none\n" + hash + " micro.s0=none\n", "has a second schedule\n  at: bad:2"},
      {hash + " frob=3\n", "the given schedule is not legal: decision frob"},
      {hash + " micro.s9=none\n", "decision micro.s9: not open in this space"},
      {hash + " micro.s0=j:1x3\n", "decision micro.s0: 'j:1x3' is not legal here; legal: none |"},
      {hash + " unroll.s0=k:99999999999999999999\n", "is not legal here"},
  };
  for (const auto& c : kCases) {
    s.write("bad", c.text);
    s.refuses(words("compile tiny_mlp.onnx -o b.tlm --schedules bad"), 2, c.message);
  }
  s.refuses(words("compile tiny_mlp.onnx -o b.tlm --schedules nowhere"), 5, "No such file");
  s.refuses(words("compile tiny_mlp.onnx -o b.tlm --schedules /dev/zero"), 5, "the file is larger than");
  s.refuses(words("compile tiny_mlp.onnx -o good --schedules good"), 2, "-o would overwrite an input");
}

TEST(Schedules, ThoseOfAnotherModelAreTold) {
  const Sandbox s;
  s.write("other", "0123456789abcdef micro.s0=none\n");
  const Outcome r = s.tlm({"compile", s.zoo("tiny_mlp"), "-o", "a.tlm", "--schedules", "other"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.err.find("warning: 1 schedules of the file fit no workload of this model, 0123456789abcdef for one"),
            std::string::npos)
      << r.err;
}

TEST(Schedules, LineEndsOfOtherSystems) {
  const Sandbox s;
  ASSERT_EQ(
      s.tlm({"compile", s.zoo("tiny_mlp"), "-o", "a.tlm", "--scheduler", "random", "--seed", "4", "--emit-schedules", "f"}).code,
      0);
  EXPECT_EQ(s.shell("sed -i 's/$/\\r/' f").code, 0);
  ASSERT_EQ(s.tlm(words("compile tiny_mlp.onnx -o b.tlm --schedules f")).code, 0);
  EXPECT_TRUE(s.read("a.tlm") == s.read("b.tlm"));
}

TEST(Schedules, ExplainShowsEveryStep) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  for (const char* target : {"x86-64", "x86-64-v3", "sm_80"}) {
    const Outcome r = s.tlm({"compile", "tiny_cnn.onnx", "--explain", "2", "--target", target});
    EXPECT_EQ(r.code, 0) << r.err;
    for (const char* part : {"subgraph \"right.conv\" {", "== sentence", "<target> ", "== schedule", "== loops", "== source"})
      EXPECT_NE(r.out.find(part), std::string::npos) << target << ": " << part;
  }
  EXPECT_EQ(s.files().size(), 1u);
}

// TLM_DUMP and TLM_TIME: every step as numbered files, and how long it took.
TEST(Schedules, DumpsAndTimes) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  const Outcome r = s.tlm(words("compile tiny_mlp.onnx -o a.tlm"), {"TLM_DUMP=graph,space,sentence,loops,source", "TLM_TIME=1"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* step : {" ms  read", " ms  pass fold_constants", " ms  schedule", " ms  compile C"})
    EXPECT_NE(r.err.find(step), std::string::npos) << r.err;
  std::map<std::string, int> count;
  for (const auto& [name, digest] : s.files())
    if (name.starts_with("tlm-dump/")) ++count[name.substr(name.find('-', 9) + 1)];
  EXPECT_GT(count["graph.txt"], 3);
  EXPECT_EQ(count["space.txt"], 3);
  EXPECT_EQ(count["sentence.txt"], 3);
  EXPECT_EQ(count["loops.txt"], 3);
  EXPECT_GT(count["source.txt"], 0);
  EXPECT_NE(s.read("tlm-dump/0001-graph.txt").find("after read"), std::string::npos);
  s.refuses(words("compile tiny_mlp.onnx -o b.tlm"), 2, "TLM_DUMP knows no 'frob'\n  try: any of graph,space",
            {"TLM_DUMP=loops,frob"});
}

}  // namespace
}  // namespace tlm::tools::test
