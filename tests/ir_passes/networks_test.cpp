// Real networks: passes and partition keep what they compute. Prints times and counts for the record.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <set>

#include "tests/support/graph_eval.h"
#include "tests/support/shared_data.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::test {
namespace {

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Passes, then the partition against the nodes one by one; and against `reference` if there is one.
void check_network(const std::string& name, ir::Graph g, const std::vector<Tensor>& inputs, const std::vector<Tensor>& reference,
                   size_t most_steps) {
  std::string times;
  auto last = std::chrono::steady_clock::now();
  ir::run_graph_passes(g, [&](const std::string& pass, const ir::Graph&) {
    times += pass + " " + std::to_string(static_cast<int>(ms_since(last))) + " ms  ";
    last = std::chrono::steady_clock::now();
  });
  ir::verify(g);
  last = std::chrono::steady_clock::now();
  const ir::Partition p = ir::partition(g);
  std::set<uint64_t> workloads;
  for (const ir::Step& s : p.steps) workloads.insert(ir::workload_hash(s.subgraph));
  std::printf("%s: %s partition %d ms, %zu nodes, %zu steps, %zu workloads\n", name.c_str(), times.c_str(),
              static_cast<int>(ms_since(last)), g.nodes.size(), p.steps.size(), workloads.size());
  EXPECT_LE(p.steps.size(), most_steps);
  const auto expected = run_nodes(g, inputs, Evaluator::kEvaluate), actual = run_partition(g, p, inputs, Evaluator::kEvaluate);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT(max_difference(actual[i], expected[i]), 1e-5) << name << " output " << i;
    if (!reference.empty()) {
      const double d = max_difference(actual[i], reference[i]);
      std::printf("%s: output %zu differs from the reference by %.2g\n", name.c_str(), i, d);
      EXPECT_LT(d, 1e-4) << name << " output " << i;
    }
  }
}

TEST(Networks, SharedModels) {
  const std::vector<NetworkFile> networks = shared_networks();
  if (networks.empty()) GTEST_SKIP() << "no shared models here";
  const std::map<std::string, size_t> most_steps = {
      {"bvlc_alexnet", 15}, {"resnet50", 58}, {"shufflenet", 90}, {"squeezenet", 32}, {"zfnet512", 15}};
  for (const NetworkFile& n : networks) {
    const auto start = std::chrono::steady_clock::now();
    ir::Graph g = ir::read_onnx(n.model);
    std::printf("%s: import %d ms, %zu nodes\n", n.name.c_str(), static_cast<int>(ms_since(start)), g.nodes.size());
    std::vector<Tensor> inputs, outputs;
    for (size_t i = 0; i < g.inputs.size(); ++i)
      inputs.push_back(ir::read_tensor_proto(n.data / ("input_" + std::to_string(i) + ".pb")));
    for (size_t i = 0; i < g.outputs.size(); ++i)
      outputs.push_back(ir::read_tensor_proto(n.data / ("output_" + std::to_string(i) + ".pb")));
    const auto most = most_steps.find(n.name);
    check_network(n.name, std::move(g), inputs, outputs, most == most_steps.end() ? 1000 : most->second);
  }
}

TEST(Networks, Zoo) {
  const std::pair<const char*, size_t> most_steps[] = {
      {"resnet50", 58}, {"mobilenet_v2", 55}, {"squeezenet", 31}, {"bert_layer", 12}};
  for (const auto& [name, most] : most_steps) {
    ir::Graph g = tools::make_zoo(name, 1, 0);
    const std::vector<Tensor> inputs = random_inputs(g, 4);
    const auto outputs = run_nodes(g, inputs, Evaluator::kEvaluate);
    double power = 0;
    for (int64_t i = 0; i < outputs[0].size(); ++i)
      power += outputs[0].at_f64(i) * outputs[0].at_f64(i) / static_cast<double>(outputs[0].size());
    std::printf("zoo %s: mean square of the output %.3g\n", name, power);
    EXPECT_GT(power, 0.05) << name;
    EXPECT_LT(power, 50) << name;
    check_network(std::string("zoo ") + name, std::move(g), inputs, outputs, most);
  }
}

}  // namespace
}  // namespace tlm::test
