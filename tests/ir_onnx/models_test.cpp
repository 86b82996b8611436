// Real models, and every single-node model of the ONNX backend tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "tests/core/support.h"
#include "tests/support/shared_data.h"
#include "tlm/core/error.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/ir/onnx/onnx_writer.h"

namespace tlm::ir::test {
namespace {

namespace fs = std::filesystem;

TEST(Models, TheFiveNetworksImport) {
  const auto networks = tlm::test::shared_networks();
  if (networks.empty()) GTEST_SKIP() << "no shared data (set TLM_SHARED_DATA)";
  for (const auto& network : networks) {
    const auto start = std::chrono::steady_clock::now();
    const Graph g = read_onnx(network.model);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    verify(g);
    EXPECT_EQ(g.inputs.size(), 1u) << network.name;
    ASSERT_EQ(g.outputs.size(), 1u) << network.name;
    EXPECT_EQ(g.value(g.inputs[0]).shape, (Shape{1, 3, 224, 224})) << network.name;
    EXPECT_EQ(element_count(g.value(g.outputs[0]).shape), 1000) << network.name;
    std::printf("%-14s %5zu nodes %6.0f ms\n", network.name.c_str(), g.nodes.size(), seconds * 1e3);
    EXPECT_LT(seconds, 30) << network.name;
    Tensor input = read_tensor_proto(network.data / "input_0.pb");
    EXPECT_EQ(input.shape(), (Shape{1, 3, 224, 224}));
  }
}

std::vector<fs::path> backend_models() {
  const fs::path root = "/usr/share/libonnx-testdata/data/node";
  std::vector<fs::path> models;
  if (!fs::exists(root)) return models;
  for (const auto& entry : fs::directory_iterator(root))
    if (fs::exists(entry.path() / "model.onnx")) models.push_back(entry.path() / "model.onnx");
  std::sort(models.begin(), models.end());
  return models;
}

TEST(Models, BackendTestsImportOrAreUnsupported) {
  const auto models = backend_models();
  if (models.empty()) GTEST_SKIP() << "Debian's libonnx-testdata is not installed";
  int imported = 0, unsupported = 0;
  for (const fs::path& model : models) {
    try {
      const Graph g = read_onnx(model);
      verify(g);
      ++imported;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported) << model << "\n" << e.what();
      for (const char* part : {"operator ", "opset "})
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << model << "\n" << e.what();
      ++unsupported;
    }
  }
  std::printf("%d imported, %d unsupported\n", imported, unsupported);
  EXPECT_GE(imported, 680);
}

// Printed without node names, value names and what a file of opset 17 does not say.
TEST(Models, BackendTestsSurviveTheWriter) {
  const auto models = backend_models();
  if (models.empty()) GTEST_SKIP() << "Debian's libonnx-testdata is not installed";
  tlm::test::TempFolder folder;
  int written = 0;
  for (const fs::path& model : models) {
    Graph g;
    try {
      g = read_onnx(model);
      write_onnx(g, folder / "m.onnx");
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported) << model << "\n" << e.what();
      continue;
    }
    ++written;
    const Graph back = read_onnx(folder / "m.onnx");
    EXPECT_EQ(print(back), print(g)) << model;
  }
  EXPECT_GE(written, 670);
}

}  // namespace
}  // namespace tlm::ir::test
