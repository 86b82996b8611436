#include "tlm/space/records/split_key.h"

#include <gtest/gtest.h>

#include <set>

#include "tlm/core/hash.h"
#include "workloads.h"

namespace tlm::space::test {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

std::string key(const std::string& text) { return split_key_text(ir::parse_subgraph(text)); }

TEST(SplitKey, IgnoresEpilogueNamesAndLiterals) {
  const std::string conv = ir::print(convolution(8, 4, 8, 3, 1));
  const std::string known = key(conv);
  EXPECT_EQ(key(replaced(conv, "max(C", "min(C")), known);        // another epilogue
  EXPECT_EQ(key(replaced(conv, "acc0 + B[co]", "acc0")), known);  // another result
  EXPECT_EQ(key(replaced(conv, "stage \"conv\"", "stage \"other\"")), known);
  EXPECT_NE(key(replaced(conv, "P[n, ci", "2.0*P[n, ci")), known);
  EXPECT_EQ(key(replaced(conv, "P[n, ci", "2.0*P[n, ci")), key(replaced(conv, "P[n, ci", "3.0*P[n, ci")));
}

TEST(SplitKey, IgnoresTheBatch) {
  const auto batched = [](int n) {
    const std::string b = std::to_string(n);
    return key("subgraph \"conv\" {\n  input X: f32[" + b + ",4,8,8]\n  constant W: f32[8,4,3,3]\n  output Y: f32[" + b +
               ",8,6,6]\n  stage \"conv\" {\n    spatial n:" + b +
               ", co:8, oh:6, ow:6\n    reduce ci:4, kh:3, kw:3\n    body X[n, ci, oh + kh, ow + kw]*W[co, ci, kh, kw]\n"
               "    combine sum\n    store Y[n, co, oh, ow] = acc0\n  }\n}\n");
  };
  EXPECT_EQ(batched(1), batched(4));
  EXPECT_EQ(batched(1), split_key_text(convolution_channels_first(8, 4, 8, 3)));
}

TEST(SplitKey, TellsExtentsStridesAccessesAndTypesApart) {
  const std::set<std::string> keys = {
      split_key_text(convolution(8, 4, 8, 3, 1)),
      split_key_text(convolution(10, 4, 8, 3, 1)),
      split_key_text(convolution(8, 8, 8, 3, 1)),
      split_key_text(convolution(8, 4, 16, 3, 1)),
      split_key_text(convolution(17, 4, 8, 3, 2)),
      split_key_text(convolution_channels_first(8, 4, 8, 3)),
      split_key_text(matmul(8, 16, 32)),
      split_key_text(matmul(16, 8, 32)),
      key(replaced(ir::print(matmul(8, 16, 32)), "f32", "f64")),
  };
  EXPECT_EQ(keys.size(), 9u);
}

TEST(SplitKey, EveryWorkloadHasOne) {
  for (const Workload& w : all_workloads()) EXPECT_FALSE(split_key_text(w.g).empty()) << w.name;
}

TEST(SplitKey, SharesAreRight) {
  int count[3] = {};
  for (uint64_t key = 0; key < 10000; ++key) ++count[static_cast<int>(split_of(key))];
  EXPECT_NEAR(count[0], 8000, 200);
  EXPECT_NEAR(count[1], 1000, 150);
  EXPECT_NEAR(count[2], 1000, 150);
  // Shipped data depends on it: never to change.
  EXPECT_EQ(to_hex(split_key(matmul(8, 16, 32))), "e2e37e7ecc7bc5cc");
  EXPECT_EQ(split_name(split_of(5)), "train");
  EXPECT_EQ(split_name(split_of(9)), "dev");
  EXPECT_EQ(split_name(split_of(8)), "test");
}

}  // namespace
}  // namespace tlm::space::test
