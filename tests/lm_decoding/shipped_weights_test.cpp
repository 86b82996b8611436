// The weights in lm/pretrained: they write every workload of the networks at hand, for hardware that they know or do not.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "tests/lm_decoding/models.h"
#include "tlm/core/file.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/decoding/strategies.h"
#include "tlm/lm/lm_scheduler.h"

namespace tlm::lm {
namespace {

const std::string kFolder = std::string(TLM_SOURCE_DIR) + "/lm/pretrained";

class ShippedWeights : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder + "/model.safetensors")) GTEST_SKIP() << "no weights in " << kFolder;
    model_ = std::make_shared<const LanguageModel>(LanguageModel::load(kFolder));
  }
  LmScheduler greedy(DecodeOptions options = {}) const {
    options.executor = &shared_thread_pool();
    return LmScheduler(model_, standard_strategies().make("greedy"), std::move(options));
  }
  std::shared_ptr<const LanguageModel> model_;
};

std::vector<std::shared_ptr<const space::Space>> spaces_for(const Target& target) {
  std::vector<std::shared_ptr<const space::Space>> out;
  for (const ir::Subgraph& g : tlm::test::network_workloads()) out.push_back(space::Space::build(g, target));
  return out;
}

TEST_F(ShippedWeights, AreSmallAndSayHowTheyWereMade) {
  EXPECT_LE(std::filesystem::file_size(kFolder + "/model.safetensors"), 12'000'000u);
  const std::string card = read_file(kFolder + "/MODEL_CARD.md");
  EXPECT_NE(card.find("tlm train --records lm/data/train.records.xz"), std::string::npos);
}

TEST_F(ShippedWeights, WriteAllNetworks) {
  for (const char* name : {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"})
    for (const int cores : {1, 2}) {
      Target target = named_target(name);
      target.cores = cores;
      const auto spaces = spaces_for(target);
      LmScheduler lm = greedy();
      const auto schedules = lm.schedule(spaces);
      EXPECT_EQ(lm.report().fallbacks, std::vector<std::string>{}) << name;
      EXPECT_TRUE(lm.report().defaults.empty()) << name;
      for (size_t i = 0; i < spaces.size(); ++i) {
        ASSERT_EQ(schedules[i].size(), 1u);
        EXPECT_TRUE(spaces[i]->replay(schedules[i][0]).ok()) << name << ": " << print(schedules[i][0]);
      }
    }
}

// Logits of instruction sets differ by rounding, schedules do not.
TEST_F(ShippedWeights, WriteTheSameWithEveryInstructionSet) {
  const auto spaces = spaces_for(host_target());
  const auto fastest = greedy().schedule(spaces);
  const kernels::BlockKernelList list = kernels::runnable_block_kernels();
  for (int k = 0; k < list.count; ++k) {
    const auto model =
        std::make_shared<const LanguageModel>(load_checkpoint(kFolder), load_language(kFolder), "shipped", *list.of[k]);
    DecodeOptions options;
    options.executor = &shared_thread_pool();
    const auto own = LmScheduler(model, standard_strategies().make("greedy"), std::move(options)).schedule(spaces);
    size_t same = 0;
    for (size_t i = 0; i < spaces.size(); ++i) {
      EXPECT_EQ(own[i], fastest[i]) << list.of[k]->name << ", " << spaces[i]->subgraph().name;
      same += own[i] == fastest[i];
    }
    std::printf("%s: %zu of %zu schedules are the same\n", list.of[k]->name, same, spaces.size());
  }
}

// They read the prompt: told of another workload, they write something else.
TEST_F(ShippedWeights, ReadThePrompt) {
  const auto spaces = spaces_for(host_target());
  const auto own = greedy().schedule(spaces);
  const auto other = greedy(test::swapped_prompts(spaces, model_->info().form)).schedule(spaces);
  size_t changed = 0;
  for (size_t i = 0; i < spaces.size(); ++i) changed += own[i] != other[i];
  std::printf("%zu of %zu schedules change\n", changed, spaces.size());
  EXPECT_GT(changed, spaces.size() / 4);
}

}  // namespace
}  // namespace tlm::lm
