// Damaged packages are refused by a message, whatever is damaged; they never crash.
#include <gtest/gtest.h>

#include "sandbox.h"
#include "tlm/core/rng.h"

namespace tlm::tools::test {
namespace {

TEST(BadPackages, Truncated) {
  const Sandbox s;
  const std::string good = s.read(s.package("tiny_mlp"));
  for (const double part : {0.001, 0.01, 0.1, 0.5, 0.9, 0.9999}) {
    s.write("bad.tlm", good.substr(0, static_cast<size_t>(part * static_cast<double>(good.size()))));
    for (const char* command : {"run bad.tlm", "inspect bad.tlm"}) {
      const Outcome r = s.tlm(words(command));
      EXPECT_EQ(r.code, 3) << part << ": " << r.err;
    }
  }
}

TEST(BadPackages, ChangedBytes) {
  const Sandbox s;
  const std::string good = s.read(s.package("tiny_mlp"));
  Rng rng(5);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string bad = good;
    const size_t range = i % 2 ? bad.size() : 256;  // the header, or anywhere
    for (int k = 0; k <= i % 3; ++k) bad[rng.below(range)] ^= static_cast<char>(1 + rng.below(255));
    s.write("bad.tlm", bad);
    const Outcome r = s.tlm({i % 4 ? "run" : "inspect", "bad.tlm"});
    EXPECT_TRUE(r.code == 0 || r.code == 3 || r.code == 4 || r.code == 5) << "change " << i << ": " << r.code << " " << r.err;
    refused += r.code != 0;
  }
  EXPECT_GT(refused, 20);
}

TEST(BadPackages, ForAnotherMachine) {
  const Sandbox s;
  const std::string arch = s.tlm({"target"}).out.find("\"x86-64\"") != std::string::npos ? "aarch64" : "x86-64";
  if (s.tlm({"compile", s.zoo("tiny_mlp"), "-o", "other.tlm", "--target", arch}).code != 0)
    GTEST_SKIP() << "no cross compiler for " << arch;
  const Outcome r = s.tlm(words("run other.tlm"));
  EXPECT_EQ(r.code, 5);
  EXPECT_NE(r.err.find("it is for " + arch), std::string::npos) << r.err;
  EXPECT_EQ(s.tlm(words("inspect other.tlm")).code, 0);
}

}  // namespace
}  // namespace tlm::tools::test
