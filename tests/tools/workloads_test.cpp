// tlm workloads: lists are not lost.
#include <gtest/gtest.h>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

TEST(Workloads, ListsThatAreThereAreReplacedByForceAlone) {
  const Sandbox s;
  s.refuses(words("workloads lists lists"), 2, "the folder is not there");
  s.shell("mkdir lists");
  for (const std::string list : {"test", "dev", "network"}) {
    const std::string file = "lists/" + list + "_workloads.jsonl";
    s.write(file, "what others were judged by\n");
    s.refuses(words("workloads lists lists"), 2, "the list is there already");
    s.refuses(words("workloads lists lists"), 2, file);
    std::filesystem::remove(s.path(file));
  }
  s.write("lists/test_workloads.jsonl", "what others were judged by\n");
  const Outcome o = s.tlm(words("workloads lists lists --force"));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("75 test workloads, 72 dev workloads"), std::string::npos) << o.err;
  const Outcome shown = s.tlm(words("workloads list lists/test_workloads.jsonl"));
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("network:resnet50"), std::string::npos) << shown.out;
}

}  // namespace
}  // namespace tlm::tools::test
