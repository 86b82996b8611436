#include "tlm/tools/zoo/zoo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ir_passes/small_graph.h"
#include "tests/support/graph_eval.h"
#include "tlm/core/error.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm::test {
namespace {

TEST(Zoo, ResNet50HasItsPapersSize) {
  const ir::Graph g = tools::make_zoo("resnet50", 2, 0);
  ir::verify(g);
  int64_t parameters = 0, convolutions = 0;
  for (const ir::Value& v : g.values) {
    if (v.constant && v.name.find("running") == std::string::npos) parameters += v.constant->size();
  }
  for (const ir::Node& n : g.nodes) convolutions += n.op == ir::OpKind::kConv ? 1 : 0;
  EXPECT_EQ(parameters, 25557032);
  EXPECT_EQ(convolutions, 53);
  EXPECT_EQ(g.value(g.inputs[0]).shape, (Shape{2, 3, 224, 224}));
  EXPECT_EQ(g.value(g.outputs[0]).name, "logits");
  EXPECT_EQ(g.value(g.outputs[0]).shape, (Shape{2, 1000}));
}

TEST(Zoo, SeedsDecideTheWeights) {
  for (const std::string& name : tools::zoo_names()) {
    if (name == "resnet50") continue;  // large
    EXPECT_EQ(ir::print(tools::make_zoo(name, 1, 3)), ir::print(tools::make_zoo(name, 1, 3))) << name;
    EXPECT_NE(ir::print(tools::make_zoo(name, 1, 3)), ir::print(tools::make_zoo(name, 1, 4))) << name;
  }
}

TEST(Zoo, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    tools::make_zoo("resnet51");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(e.what()).find("resnet50"), std::string::npos) << e.what();
  }
}

// All passes and the partition keep what the tiny networks compute, and outputs are of moderate size.
TEST(Zoo, TinyNetworksSurviveThePasses) {
  for (const std::string& name : tools::zoo_names()) {
    if (name == "resnet50") continue;
    SCOPED_TRACE(name);
    const ir::Graph before = tools::make_zoo(name, 2, 9);
    ir::Graph after = before;
    ir::run_graph_passes(after, [](const std::string&, const ir::Graph& g) { ir::verify(g); });
    const auto inputs = random_inputs(before, 2);
    const auto expected = run_nodes(before, inputs), actual = run_nodes(after, inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(max_difference(actual[i], expected[i]), 1e-5);
      for (int64_t e = 0; e < expected[i].size(); ++e) EXPECT_LT(std::fabs(expected[i].at_f64(e)), 30);
    }
    check_partition(after);
  }
}

}  // namespace
}  // namespace tlm::test
