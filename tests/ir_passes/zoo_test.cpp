#include "tlm/tools/zoo/zoo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ir_passes/small_graph.h"
#include "tests/support/graph_eval.h"
#include "tlm/core/error.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm::test {
namespace {

bool tiny(const std::string& name) { return name.rfind("tiny_", 0) == 0; }

// Parameters as their papers' authors count them: without running statistics and scalars that are no weights.
TEST(Zoo, NetworksHaveTheirPapersSizes) {
  struct Case {
    std::string name;
    int64_t parameters;
    ir::OpKind op;  // of which there are `count`
    int count;
    Shape input, output;  // of a batch of two
  };
  const Shape image = {2, 3, 224, 224}, hidden = {2, 128, 768};
  const Case cases[] = {{"resnet50", 25557032, ir::OpKind::kConv, 53, image, {2, 1000}},
                        {"mobilenet_v2", 3504872, ir::OpKind::kConv, 52, image, {2, 1000}},
                        {"squeezenet", 1235496, ir::OpKind::kConv, 26, image, {2, 1000}},
                        {"bert_layer", 7087872, ir::OpKind::kMatMul, 8, hidden, hidden}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ir::Graph g = tools::make_zoo(c.name, 2, 0);
    ir::verify(g);
    int64_t parameters = 0, count = 0;
    for (const ir::Value& v : g.values) {
      if (v.constant && !v.shape.empty() && v.name.find("running") == std::string::npos) parameters += v.constant->size();
    }
    for (const ir::Node& n : g.nodes) count += n.op == c.op ? 1 : 0;
    EXPECT_EQ(parameters, c.parameters);
    EXPECT_EQ(count, c.count);
    EXPECT_EQ(g.value(g.inputs[0]).shape, c.input);
    EXPECT_EQ(g.value(g.outputs[0]).shape, c.output);
  }
}

TEST(Zoo, SeedsDecideTheWeights) {
  for (const std::string& name : tools::zoo_names()) {
    if (!tiny(name)) continue;
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
    if (!tiny(name)) continue;
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
