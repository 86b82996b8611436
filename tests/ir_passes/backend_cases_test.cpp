// The models of the ONNX backend tests through passes and partition, against the nodes one by one. What the operators compute is
// tested elsewhere; here it must stay the same, whatever orders values have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tests/support/graph_eval.h"
#include "tlm/core/error.h"
#include "tlm/core/rng.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm::test {
namespace {

namespace fs = std::filesystem;

struct Model {
  ir::Graph graph;
  std::vector<Tensor> inputs;
};

// With inputs of rank 0 and 1 bound to the data if the model cannot be read otherwise. Nothing if it cannot be read at all.
std::optional<Model> read_case(const fs::path& dir) {
  std::map<std::string, Tensor> data;
  try {
    for (int i = 0; fs::exists(dir / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb")); ++i) {
      std::string name;
      Tensor t = ir::read_tensor_proto(dir / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"), &name);
      data[name] = std::move(t);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  for (const bool bind : {false, true}) {
    ir::OnnxOptions options;
    for (const auto& [name, t] : data) {
      if (bind && t.shape().size() <= 1) options.bound[name] = t;
    }
    try {
      Model m{ir::read_onnx(dir / "model.onnx", options), {}};
      for (ir::ValueId v : m.graph.inputs) {
        const auto it = data.find(m.graph.value(v).name);
        if (it == data.end() || it->second.dtype() != m.graph.value(v).dtype) return std::nullopt;
        m.inputs.push_back(it->second);
      }
      return m;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::kUnsupported) return std::nullopt;
    }
  }
  return std::nullopt;
}

void shuffle_orders(ir::Graph& g, uint64_t seed) {
  Rng rng(seed);
  for (ir::Value& v : g.values) {
    if (v.constant) continue;
    v.order.resize(v.shape.size());
    for (size_t d = 0; d < v.order.size(); ++d) v.order[d] = static_cast<int>(d);
    for (size_t d = v.order.size(); d > 1; --d) std::swap(v.order[d - 1], v.order[rng.below(d)]);
  }
}

TEST(BackendCases, PassesAndPartitionKeepThem) {
  const fs::path root = "/usr/share/libonnx-testdata/data";
  if (!fs::exists(root)) GTEST_SKIP() << "no " << root << " (install libonnx-testdata)";
  std::vector<fs::path> dirs;
  for (const char* set : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    if (!fs::exists(root / set)) continue;
    for (const auto& entry : fs::directory_iterator(root / set)) {
      if (fs::exists(entry.path() / "model.onnx")) dirs.push_back(entry.path());
    }
  }
  std::sort(dirs.begin(), dirs.end());
  int checked = 0, skipped = 0, refused = 0;
  for (const fs::path& dir : dirs) {
    SCOPED_TRACE(dir.filename().string());
    std::optional<Model> m = read_case(dir);
    if (!m) {
      ++skipped;
      continue;
    }
    try {
      const std::vector<Tensor> expected = run_nodes(m->graph, m->inputs);
      ir::run_graph_passes(m->graph, [](const std::string&, const ir::Graph& g) { ir::verify(g); });
      for (const bool shuffled : {false, true}) {
        if (shuffled) shuffle_orders(m->graph, 1);
        const std::vector<Tensor> actual = run_partition(m->graph, ir::partition(m->graph), m->inputs);
        ASSERT_EQ(actual.size(), expected.size());
        for (size_t i = 0; i < actual.size(); ++i) EXPECT_LT(max_difference(actual[i], expected[i]), 1e-5) << "output " << i;
      }
      ++checked;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported) << e.what();
      ++refused;
    }
  }
  std::printf("%d models checked, %d refused, %d not read\n", checked, refused, skipped);
  EXPECT_GT(checked, 700);
}

}  // namespace
}  // namespace tlm::test
