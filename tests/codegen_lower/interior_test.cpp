// Where guards are dropped, and on what condition.
#include "tlm/codegen/lower/interior.h"

#include <gtest/gtest.h>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::test {
namespace {

using namespace ir;
using codegen::Region;

// A window of three over a row of 16, padded by one on both sides.
Stage window(const std::string& guard = "1 <= x + r && x + r < 17") {
  return parse_subgraph(
             "subgraph \"w\" {\n  input X: f32[16]\n  output Y: f32[16]\n  stage \"w\" {\n    spatial x:16\n    reduce r:3\n"
             "    body select(" +
             guard + ", X[x + r - 1], 0.0)\n    combine sum\n    store Y[x] = acc0\n  }\n}\n")
      .stages[0];
}

// Four points from 4·tile on, for the tiles in [0, 4).
bool holds(const Stage& s, int64_t tile) {
  const auto inside = codegen::interior(s, {{make_int(tile * 4), 4}, {}}, {});
  return inside && is_int(inside->condition, 1);
}

TEST(Interior, HoldsAwayFromBothBorders) {
  EXPECT_FALSE(holds(window(), 0));
  EXPECT_TRUE(holds(window(), 1));
  EXPECT_TRUE(holds(window(), 2));
  EXPECT_FALSE(holds(window(), 3));
}

TEST(Interior, ConditionDependsOnTheTile) {
  const auto inside = codegen::interior(window(), {{make_var(0) * 4, 4}, {}}, {4});
  ASSERT_TRUE(inside);
  for (int64_t tile = 0; tile < 4; ++tile) {
    const Expr at = rewrite(inside->condition, [&](const Expr& n) { return n->op == Op::kVar ? make_int(tile) : Expr(); });
    EXPECT_TRUE(is_int(simplify(at, {}), tile == 1 || tile == 2)) << tile;
  }
  visit(inside->stage.body[0], [](const Expr& n) { EXPECT_NE(n->op, Op::kSelect); });
}

TEST(Interior, NeverOfATileThatTouchesTheBorder) { EXPECT_FALSE(codegen::interior(window(), {{make_int(0), 16}, {}}, {})); }

TEST(Interior, OnlyConjunctionsOfAffineComparisons) {
  EXPECT_FALSE(codegen::interior(window("1 <= x + r || x + r < 17"), {{make_int(4), 4}, {}}, {}));
  EXPECT_FALSE(codegen::interior(window("x % 2 < 1"), {{make_int(4), 4}, {}}, {}));
  EXPECT_FALSE(codegen::interior(window("X[x] < 1.0"), {{make_int(4), 4}, {}}, {}));
}

}  // namespace
}  // namespace tlm::test
