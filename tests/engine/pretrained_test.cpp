// An engine with weights built in: those of tests/data/tiny_language_model stand in for lm/pretrained.
#include <gtest/gtest.h>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/tools/engine/engine.h"
#include "tlm/tools/engine/pretrained.h"
#include "tlm/tools/engine/pretrained_files.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm {
namespace {

const std::string kFolder = std::string(TLM_SOURCE_DIR) + "/tests/data/tiny_language_model";

std::string text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

TEST(Pretrained, FilesAreInTheLibrary) {
  const PretrainedFiles files = pretrained_files();
  EXPECT_EQ(text(files.config), read_file(kFolder + "/config.json"));
  EXPECT_EQ(text(files.weights), read_file(kFolder + "/model.safetensors"));
  EXPECT_EQ(text(files.language), read_file(kFolder + "/language.json"));
}

TEST(Pretrained, IsTheModelOfTheFolder) {
  const auto model = pretrained_model();
  ASSERT_TRUE(model);
  EXPECT_EQ(model->name(), "built-in");
  EXPECT_EQ(pretrained_model(), model) << "read once";
  const lm::LanguageModel loaded = lm::LanguageModel::load(kFolder);
  EXPECT_EQ(print_config(model->model().config()), print_config(loaded.model().config()));
  EXPECT_EQ(print_language(model->info()), print_language(loaded.info()));
}

TEST(Pretrained, IsTheDefault) {
  EngineOptions options;
  EXPECT_EQ(resolved_scheduler(options), "lm");
  EXPECT_EQ(Engine(options).options().scheduler, "lm");
  for (const char* name : {"constructive", "random", "search", "lm"}) {
    options.scheduler = name;
    EXPECT_EQ(resolved_scheduler(options), name);
  }
  options.scheduler = "frob";
  EXPECT_THROW(resolved_scheduler(options), Error);
}

// For hardware that they were not trained for: every subgraph falls back, and is counted.
TEST(Pretrained, ATargetThatTheyDoNotFitIsReported) {
  EngineOptions options;
  options.target = named_target("sm_90");
  ASSERT_FALSE(pretrained_model()->fits(options.target));
  EXPECT_EQ(resolved_scheduler(options), "lm");
  ir::Graph g = tools::make_zoo("tiny_mlp");
  ir::run_graph_passes(g);
  std::vector<std::shared_ptr<const space::Space>> spaces;
  const ir::Partition partition = ir::partition(g);
  for (const ir::Step& step : partition.steps)
    if (step.kind == ir::StepKind::kSubgraph) spaces.push_back(space::Space::build(step.subgraph, options.target));
  ASSERT_FALSE(spaces.empty());
  const auto scheduler = make_scheduler(options);
  const auto schedules = scheduler->schedule(spaces);
  EXPECT_EQ(schedules, space::make_constructive_scheduler()->schedule(spaces));
  const std::optional<LmUse> use = lm_use(*scheduler, "greedy");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->report.workloads, static_cast<int>(spaces.size()));
  ASSERT_EQ(use->report.fallbacks.size(), spaces.size());
  EXPECT_TRUE(use->report.fallbacks[0].ends_with(": the model was not trained for this kind of device"));
}

// What an application does that names no scheduler.
TEST(Pretrained, CompilesByDefault) {
  ir::Graph g = tools::make_zoo("tiny_mlp");
  ir::run_graph_passes(g);
  const Engine engine;
  const codegen::CompiledModel by_default = engine.compile(g);
  ASSERT_TRUE(engine.lm_use().has_value());
  EXPECT_EQ(engine.lm_use()->model, "built-in");
  EXPECT_EQ(engine.lm_use()->decode, "greedy");
  EXPECT_EQ(engine.lm_use()->report.workloads, static_cast<int>(by_default.report.workloads.size()));
  EXPECT_TRUE(engine.lm_use()->report.fallbacks.empty());

  EngineOptions options;
  options.scheduler = "lm";
  options.lm.model = kFolder;
  options.jobs = 1;
  const Engine named(options);
  const codegen::CompiledModel same = named.compile(g);
  for (size_t i = 0; i < same.report.workloads.size(); ++i)
    EXPECT_EQ(same.report.workloads[i].schedule, by_default.report.workloads[i].schedule);
  EXPECT_EQ(same.code, by_default.code);

  options.scheduler = "constructive";
  options.lm = {};
  const Engine constructive(options);
  constructive.compile(g);
  EXPECT_FALSE(constructive.lm_use().has_value());
}

}  // namespace
}  // namespace tlm
