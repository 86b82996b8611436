// Same input, same package, byte for byte.
#include <gtest/gtest.h>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

TEST(Determinism, JobsFoldersAndReplay) {
  const Sandbox s;
  for (const char* net : {"tiny_cnn", "tiny_attention"}) {
    SCOPED_TRACE(net);
    const std::string model = s.zoo(net);
    ASSERT_EQ(s.tlm({"compile", model, "-o", "one.tlm", "--jobs", "1", "--no-cache", "--emit-schedules", "one.schedules"}).code,
              0);
    const std::string one = s.read("one.tlm");

    s.write("deeper/in/net.onnx", s.read(model));
    ASSERT_EQ(s.shell("cd deeper/in && $TLM compile net.onnx -o net.tlm --jobs 4 --no-cache 2>/dev/null").code, 0);
    EXPECT_TRUE(s.read("deeper/in/net.tlm") == one) << "another folder, another name, four jobs";

    ASSERT_EQ(s.tlm({"compile", model, "-o", "cached.tlm"}).code, 0);
    EXPECT_TRUE(s.read("cached.tlm") == one) << "through the cache";

    ASSERT_EQ(s.tlm({"compile", model, "-o", "replayed.tlm", "--scheduler", "random", "--seed", "9", "--schedules",
                     "one.schedules", "--emit-schedules", "replayed.schedules"})
                  .code,
              0);
    EXPECT_TRUE(s.read("replayed.tlm") == one) << "replayed schedules";
    EXPECT_EQ(s.read("replayed.schedules"), s.read("one.schedules"));
  }
}

TEST(Determinism, TheNameOfATargetIsForPeople) {
  const Sandbox s;
  const std::string model = s.zoo("tiny_mlp");
  ASSERT_EQ(s.shell("$TLM target x86-64-v2 | sed 's/\"name\": \"x86-64-v2\"/\"name\": \"mine\"/' >mine.json && grep -q mine mine.json").code, 0);
  ASSERT_EQ(s.tlm({"compile", model, "-o", "named.tlm", "--target", "x86-64-v2", "--threads", "1"}).code, 0);
  ASSERT_EQ(s.tlm({"compile", model, "-o", "mine.tlm", "--target", "mine.json"}).code, 0);
  EXPECT_TRUE(s.read("mine.tlm") == s.read("named.tlm"));
}

TEST(Determinism, RandomSchedulesFollowTheSeed) {
  const Sandbox s;
  const std::string model = s.zoo("tiny_mlp");
  const auto schedules = [&](const std::string& seed) {
    EXPECT_EQ(
        s.tlm({"compile", model, "-o", "a.tlm", "--scheduler", "random", "--seed", seed, "--emit-schedules", "a.schedules"}).code,
        0);
    return s.read("a.schedules");
  };
  const std::string first = schedules("1");
  EXPECT_EQ(schedules("1"), first);
  EXPECT_NE(schedules("2"), first);
}

TEST(Determinism, ThreadsDoNotChangeOutputs) {
  const Sandbox s;
  const std::string package = s.package("tiny_cnn");
  for (const char* threads : {"1", "2", "4"})
    ASSERT_EQ(s.tlm({"run", package, "--threads", threads, "--output-dir", std::string("out") + threads}).code, 0);
  EXPECT_EQ(s.read("out1/probabilities.npy"), s.read("out2/probabilities.npy"));
  EXPECT_EQ(s.read("out1/probabilities.npy"), s.read("out4/probabilities.npy"));
}

TEST(Determinism, ZooFollowsTheSeed) {
  const Sandbox s;
  ASSERT_EQ(s.tlm(words("zoo tiny_cnn -o a.onnx --seed 7")).code, 0);
  ASSERT_EQ(s.tlm(words("zoo tiny_cnn -o b.onnx --seed 7")).code, 0);
  ASSERT_EQ(s.tlm(words("zoo tiny_cnn -o c.onnx --seed 8")).code, 0);
  EXPECT_TRUE(s.read("a.onnx") == s.read("b.onnx"));
  EXPECT_FALSE(s.read("a.onnx") == s.read("c.onnx"));
}

}  // namespace
}  // namespace tlm::tools::test
