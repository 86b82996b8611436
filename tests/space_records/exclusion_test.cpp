#include "tlm/space/records/exclusion.h"

#include <gtest/gtest.h>

#include "tlm/space/records/split_key.h"
#include "workloads.h"

namespace tlm::space::test {
namespace {

TEST(Exclusion, EqualsAndNeighboursAreOut) {
  Exclusion e;
  e.add("layer", convolution(14, 32, 64, 3, 1));
  e.add("product", matmul(100, 100, 100));
  const struct {
    const char* name;
    ir::Subgraph g;
    bool out;
  } rows[] = {
      {"itself", convolution(14, 32, 64, 3, 1), true},
      {"a tenth more", convolution(14, 35, 70, 3, 1), true},
      {"more than a tenth of one extent", convolution(14, 36, 64, 3, 1), false},
      {"another image", convolution(16, 32, 64, 3, 1), false},
      {"another window", convolution(14, 32, 64, 5, 1), false},
      {"another step", convolution(28, 32, 64, 3, 2), false},
      {"10 % more", matmul(110, 100, 100), true},
      {"11 % more", matmul(111, 100, 100), false},
      {"10 % less, everywhere", matmul(91, 91, 91), true},
      {"another arrangement", attention_scores(4, 100, 100), false},
  };
  for (const auto& row : rows) EXPECT_EQ(!e.nearest(row.g).empty(), row.out) << row.name << ": " << e.nearest(row.g);
  EXPECT_EQ(e.nearest(matmul(110, 100, 100)), "it is a neighbour of product, which is held out");
  EXPECT_EQ(e.nearest(matmul(100, 100, 100)), "it is product, which is held out");
}

TEST(Exclusion, OnlyTheTrainingSplitMayBeLearned) {
  const Exclusion none;
  int count[3] = {};
  for (int64_t m = 1; m <= 60; ++m) {
    const ir::Subgraph g = matmul(m, 24, 40);
    const Split split = split_of(split_key(g));
    ++count[static_cast<int>(split)];
    EXPECT_EQ(none.obstacle(g).empty(), split == Split::kTrain) << m;
    EXPECT_TRUE(none.nearest(g).empty());
  }
  for (const int n : count) EXPECT_GT(n, 0);
}

TEST(KeyStructure, HasNoSizes) {
  EXPECT_EQ(key_structure(matmul(8, 16, 32)), key_structure(matmul(80, 17, 3)));
  EXPECT_EQ(key_extents(matmul(8, 16, 32)), (std::vector<int64_t>{8, 16, 32}));
  EXPECT_EQ(key_structure(convolution(14, 32, 64, 3, 1)), key_structure(convolution(56, 3, 64, 3, 1)));
  EXPECT_NE(key_structure(convolution(14, 32, 64, 3, 1)), key_structure(convolution(14, 32, 64, 3, 2)));
  EXPECT_NE(key_structure(convolution(14, 32, 64, 3, 1)), key_structure(convolution_channels_first(32, 64, 14, 3)));
}

}  // namespace
}  // namespace tlm::space::test
