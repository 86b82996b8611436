#include <gtest/gtest.h>

#include "tests/ir_passes/small_graph.h"
#include "tlm/core/rng.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::test {
namespace {

using ir::OpKind;
using ir::ValueId;
using ints = std::vector<int64_t>;
using order = std::vector<int>;

// Orders by name; "" for row-major ones.
std::string orders(const ir::Graph& g) {
  std::string text;
  for (const ir::Value& v : g.values) {
    if (v.constant) continue;
    text += v.name;
    for (size_t i = 0; i < v.order.size(); ++i) text += (i ? "" : " ") + std::to_string(v.order[i]);
    text += "\n";
  }
  return text;
}

TEST(AssignLayouts, ConvolutionsAreChannelsLastAndPortsAreNot) {
  SmallGraph s;
  const auto x = s.input("x", {1, 3, 8, 8});
  const auto a = s.op(OpKind::kRelu, "a", {s.conv("c", x, 4, 3)});
  const auto p = s.op(OpKind::kPad, "p", {a}, {{"pads", ints{0, 0, 1, 1, 0, 0, 1, 1}}});
  const auto d = s.conv("d", p, 4, 3);
  ir::Graph g = s.done({s.op(OpKind::kAdd, "y", {d, p})});
  EXPECT_TRUE(ir::assign_layouts(g));
  EXPECT_EQ(orders(g), "x\nc 0231\na 0231\np 0231\nd 0231\ny\n");
  EXPECT_FALSE(ir::assign_layouts(g));
  check_partition(g);
  EXPECT_TRUE(ir::assign_row_major(g));
  EXPECT_EQ(orders(g), "x\nc\na\np\nd\ny\n");
}

TEST(AssignLayouts, ExtentsOfOneAndMatricesStayRowMajor) {
  SmallGraph s;
  const auto c = s.conv("c", s.input("x", {1, 3, 5, 5}), 4, 3);
  const auto pool = s.op(OpKind::kGlobalAveragePool, "pool", {c});
  const auto flat = s.op(OpKind::kFlatten, "flat", {pool}, {{"axis", int64_t{1}}});
  ir::Graph g = s.done({s.op(OpKind::kGemm, "y", {flat, s.constant("w", {4, 2})})});
  ir::assign_layouts(g);
  EXPECT_EQ(orders(g), "x\nc 0231\npool\nflat\ny\n");
  check_partition(g);
}

// The channel shuffle: the orders pass through the reshapes, so that only the transposition moves anything.
TEST(AssignLayouts, OrdersPassThroughReshapes) {
  SmallGraph s;
  const auto c = s.conv("c", s.input("x", {1, 3, 4, 5}), 6, 1);
  const auto split = s.op(OpKind::kReshape, "split", {c}, {{"shape", ints{1, 2, 3, 4, 5}}});
  const auto turned = s.op(OpKind::kTranspose, "turned", {split}, {{"perm", ints{0, 2, 1, 3, 4}}});
  const auto joined = s.op(OpKind::kReshape, "joined", {turned}, {{"shape", ints{1, 6, 4, 5}}});
  ir::Graph g = s.done({s.conv("y", joined, 2, 3)});
  ir::assign_layouts(g);
  EXPECT_EQ(orders(g), "x\nc 0231\nsplit 03412\nturned 03412\njoined 0231\ny\n");
  EXPECT_EQ(brief(g, ir::partition(g)), "c: c\nturned: turned\ny: y.pad, y\n");
  check_partition(g);
}

// The heads of attention: split, turned, multiplied, turned back, merged. No transposition is left but that of the key.
TEST(AssignLayouts, HeadsAreTurnedInPlace) {
  ir::Graph g = tools::make_zoo("tiny_attention", 1, 0);
  ir::run_graph_passes(g);
  for (const ir::Value& v : g.values) {
    const bool turned = v.name == "query.heads" || v.name == "value.heads" || v.name == "context";
    if (!v.constant) {
      EXPECT_EQ(v.order, turned ? order({0, 2, 1, 3}) : order()) << v.name;
    }
  }
  std::string steps = brief(g, ir::partition(g));
  EXPECT_NE(steps.find("scores: key.heads, scores, scaled\n"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("query.heads"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("context.tokens"), std::string::npos) << steps;
  check_partition(g);
}

// Into an output of the model: what comes before writes there.
TEST(AssignLayouts, TurnedOutput) {
  SmallGraph s;
  const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 3, 4})});
  ir::Graph g = s.done({s.op(OpKind::kTranspose, "y", {r}, {{"perm", ints{1, 0, 2}}})});
  ir::assign_layouts(g);
  EXPECT_EQ(orders(g), "x\nr 102\ny\n");
  EXPECT_EQ(brief(g, ir::partition(g)), "r: r in y\n");
  check_partition(g);
}

TEST(AssignLayouts, VolumesAndSignals) {
  SmallGraph s;
  const auto w1 = s.constant("w1", {4, 3, 3}), w3 = s.constant("w3", {4, 3, 1, 1, 1});
  const auto a = s.op(OpKind::kConv, "a", {s.input("x", {1, 3, 9}), w1});
  const auto b = s.op(OpKind::kConv, "b", {s.input("z", {1, 3, 2, 3, 4}), w3});
  ir::Graph g = s.done({s.op(OpKind::kRelu, "ya", {a}), s.op(OpKind::kRelu, "yb", {b})});
  ir::assign_layouts(g);
  EXPECT_EQ(orders(g), "x\na 021\nz\nb 02341\nya\nyb\n");
  check_partition(g);
}

TEST(AssignLayouts, OperandsOfRuntimeCallsStayRowMajor) {
  SmallGraph s;
  const auto c = s.conv("c", s.input("x", {1, 3, 4, 4}), 4, 1);
  const auto top = s.ops(OpKind::kTopK, "top", {c}, {{"k", int64_t{2}}, {"axis", int64_t{1}}}, 2);
  ir::Graph g = s.done({s.op(OpKind::kRelu, "y", {top[0]}), top[1]});
  ir::assign_layouts(g);
  EXPECT_EQ(orders(g), "x\nc\ntop_0\ntop_1\ny\n");
  check_partition(g);
}

// Correct whatever the assignment: random orders everywhere.
TEST(AssignLayouts, AnyAssignmentIsCorrect) {
  Rng rng(5);
  for (const char* name : {"tiny_cnn", "tiny_attention", "tiny_mlp"}) {
    for (int trial = 0; trial < 6; ++trial) {
      SCOPED_TRACE(std::string(name) + " trial " + std::to_string(trial));
      ir::Graph g = tools::make_zoo(name, 2, 1);
      for (ir::Value& v : g.values) {
        if (v.constant || rng.below(3) == 0) continue;
        v.order.resize(v.shape.size());
        for (size_t d = 0; d < v.order.size(); ++d) v.order[d] = static_cast<int>(d);
        for (size_t d = v.order.size(); d > 1; --d) std::swap(v.order[d - 1], v.order[rng.below(d)]);
      }
      check_partition(g);
    }
  }
}

}  // namespace
}  // namespace tlm::test
