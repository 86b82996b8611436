// The language model computes on whatever the machine has; the packages that it leads to are the same, byte for byte.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "tlm/codegen/build/temp_folder.h"
#include "tlm/codegen/package_writer.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/lm/checkpoint.h"
#include "tlm/tools/engine/engine.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm {
namespace {

// Compiles each network with the model of `folder` as it computes with each instruction set of this machine.
void expect_the_same_packages(const std::string& folder, const std::vector<std::string>& networks) {
  const codegen::TempFolder cache;  // of compiled C
  const kernels::BlockKernelList list = kernels::runnable_block_kernels();
  if (list.count < 2) GTEST_SKIP() << "this machine has one instruction set";
  for (const std::string& network : networks) {
    ir::Graph g = tools::make_zoo(network);
    ir::run_graph_passes(g);
    std::optional<std::vector<std::byte>> first;
    for (int k = 0; k < list.count; ++k) {
      EngineOptions options;
      options.scheduler = "lm";
      options.cache = cache.path();
      options.lm.loaded =
          std::make_shared<const lm::LanguageModel>(lm::load_checkpoint(folder), lm::load_language(folder), "m", *list.of[k]);
      const Engine engine(options);
      std::vector<std::byte> bytes = codegen::package_bytes(engine.compile(g));
      EXPECT_TRUE(engine.lm_use()->report.fallbacks.empty());
      std::printf("%s, %s: %zu bytes\n", network.c_str(), list.of[k]->name, bytes.size());
      if (!first) {
        first = std::move(bytes);
      } else {
        EXPECT_TRUE(bytes == *first) << network << ": " << list.of[k]->name << " and " << list.of[0]->name;
      }
    }
  }
}

TEST(InstructionSets, TheSamePackages) {
  expect_the_same_packages(std::string(TLM_SOURCE_DIR) + "/tests/data/tiny_language_model", {"tiny_mlp", "tiny_cnn"});
}

// TLM_NETWORKS: names of zoo networks.
TEST(InstructionSets, TheSamePackagesOfTheShippedWeights) {
  const std::string folder = std::string(TLM_SOURCE_DIR) + "/lm/pretrained";
  if (!std::filesystem::exists(folder + "/model.safetensors")) GTEST_SKIP() << "no weights in " << folder;
  const char* given = std::getenv("TLM_NETWORKS");
  std::istringstream in(given ? given : "tiny_cnn");
  std::vector<std::string> networks;
  for (std::string name; in >> name;) networks.push_back(name);
  expect_the_same_packages(folder, networks);
}

}  // namespace
}  // namespace tlm
