#include "tlm/lm/training/train_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/lm_training/fake_records.h"
#include "tests/lm_training/scratch_folder.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/decoding/strategies.h"
#include "tlm/lm/lm_scheduler.h"
#include "tlm/lm/training/pretraining.h"

namespace tlm::lm {
namespace {

Recipe small_recipe() {
  Recipe r;
  r.layers = 2, r.heads = 2, r.width = 32;
  r.quality = "both", r.enough = 8, r.branches = 8, r.batch = 1500;
  r.rate = 4e-3;
  return r;
}

// A target's text with another number of cores.
std::string with_cores(const std::string& target, int cores) {
  Target t = parse_target_json(target, "test");
  t.cores = cores;
  return target_json(t);
}

TrainedModel run(const Recipe& recipe, const std::filesystem::path& folder, std::vector<LabelledWorkload> labels,
                 bool resume = false, SpaceSource unmeasured = {}) {
  TrainModelOptions options;
  options.recipe = recipe;
  options.folder = folder;
  options.resume = resume;
  options.command = "tlm train --of-a-test";
  options.unmeasured = std::move(unmeasured);
  return train_model(std::move(labels), {}, options, shared_thread_pool(), no_progress());
}

// Geometric mean over the spaces of the fewest cycles of 64 random schedules ÷ those of the schedule that `pick` gives.
template <typename Pick>
double quality_of(const std::vector<std::shared_ptr<const space::Space>>& spaces, const Pick& pick) {
  double sum = 0;
  for (size_t i = 0; i < spaces.size(); ++i) {
    double best = 1e300;
    for (const space::Record& r : test::fake_records(spaces[i], 64, 1000 + i)) best = std::min(best, r.median_ms);
    sum += std::log(best / pick(i));
  }
  return std::exp(sum / static_cast<double>(spaces.size()));
}

// The whole way, from records to schedules: a model that saw random programs of some products writes good ones of others.
TEST(TrainModel, PicksForUnseenWorkloadsBeatRandomOnes) {
  const auto seen = test::product_spaces(space::Split::kTrain, 24), unseen = test::product_spaces(space::Split::kDev, 12);
  auto labels = test::fake_labels(seen, 64);
  const auto dev = test::fake_labels(unseen, 32);
  labels.insert(labels.end(), dev.begin(), dev.end());
  const test::ScratchFolder folder;
  Recipe recipe = small_recipe();
  recipe.epochs = 4, recipe.batch = 800;
  recipe.quality = "both";  // random programs are rarely good: the best are drawn more often
  const TrainedModel trained = run(recipe, folder.path(), std::move(labels));
  const Validation& last = *trained.metrics.back().dev;
  EXPECT_LT(last.best_loss, trained.metrics.front().loss);
  EXPECT_GT(last.pick, last.random_pick);

  const auto model = std::make_shared<const LanguageModel>(LanguageModel::load(folder.path()));
  DecodeOptions options;
  options.executor = &shared_thread_pool();
  const std::vector<std::vector<space::Schedule>> answers =
      LmScheduler(model, std::shared_ptr<const Strategy>(standard_strategies().make("greedy")), options).schedule(unseen);
  const double greedy = quality_of(unseen, [&](size_t i) { return test::fake_ms(unseen[i]->replay(answers[i][0]).value()); });
  const double random = quality_of(unseen, [&](size_t i) {
    double logs = 0;
    const auto records = test::fake_records(unseen[i], 32, i);
    for (const space::Record& r : records) logs += std::log(r.median_ms) / static_cast<double>(records.size());
    return std::exp(logs);
  });
  std::printf("greedy %.3f, random %.3f of the best of 64 random ones\n", greedy, random);
  EXPECT_GT(greedy, 0.8);
  EXPECT_GT(greedy, 1.5 * random);
}

TEST(TrainModel, TheFolderHoldsAModelAndWhatItWasMadeOf) {
  const auto spaces = test::product_spaces(space::Split::kTrain, 3);
  const test::ScratchFolder folder;
  Recipe recipe = small_recipe();
  recipe.steps = 4;
  recipe.pretrain = 5;
  const TrainedModel trained = run(recipe, folder.path(), test::fake_labels(spaces, 10), false, [&](int64_t i) {
    return i < 3 ? spaces[static_cast<size_t>(i)] : nullptr;  // some are left out
  });
  EXPECT_EQ(trained.steps, 4);
  EXPECT_EQ(trained.pretraining_sentences, 3);
  EXPECT_GT(trained.pretraining_steps, 0);
  EXPECT_EQ(trained.metrics.size(), static_cast<size_t>(trained.steps + trained.pretraining_steps));
  const LanguageModel model = LanguageModel::load(folder.path());
  EXPECT_EQ(model.info().quality_buckets, 8);
  EXPECT_EQ(model.model().config().width, 32);
  const std::string card = read_file(folder.path() / "MODEL_CARD.md");
  for (const char* text : {"tlm train --of-a-test", "language version", "instructions:", "| train | 3 | 3 | 3", "| product | 3 |",
                           "\"width\": 32", "Pretrained on 3 sentences", "4 of training"})
    EXPECT_NE(card.find(text), std::string::npos) << text << "\n" << card;
  EXPECT_EQ(differences(*recipe_of(folder.path()), recipe), std::vector<std::string>());
}

// Shapes that nobody measured are learned beside those that were; of what is left out nothing is taught either.
TEST(TrainModel, TaughtSentences) {
  const auto spaces = test::product_spaces(space::Split::kTrain, 8);
  const SpaceSource source = [&](int64_t i) { return spaces[static_cast<size_t>(5 + i)]; };
  Recipe recipe = small_recipe();
  recipe.steps = 4, recipe.taught = 3, recipe.quality = "best", recipe.soft = 0.1;
  const test::ScratchFolder folder;
  auto labels = test::fake_labels({spaces.begin(), spaces.begin() + 5}, 24);
  const TrainedModel trained = run(recipe, folder.path(), labels, false, source);
  EXPECT_GE(trained.taught_sentences, 3);
  EXPECT_LE(trained.taught_sentences, 3 * 4);
  EXPECT_EQ(trained.pretraining_steps, 0);
  EXPECT_EQ(trained.train.workloads, 5);
  const std::string card = read_file(folder.path() / "MODEL_CARD.md");
  for (const char* text : {"| train | 5 | 5 |", "| product | 5 | 5 |", "about 3 sampled shapes"})
    EXPECT_NE(card.find(text), std::string::npos) << text << "\n" << card;

  labels[0].target = with_cores(labels[0].target, 2);  // something is left to learn from
  const std::string variant = plain_variant(spaces[6]->target());
  recipe.leave_out_variants = {variant};
  const test::ScratchFolder other;
  EXPECT_EQ(run(recipe, other.path(), labels, false, source).taught_sentences, 0);
}

TEST(TrainModel, AnUntrainedModelNeedsNoData) {
  const test::ScratchFolder folder;
  Recipe recipe = small_recipe();
  recipe.steps = 0;
  recipe.quality = "best";
  run(recipe, folder.path(), {});
  const LanguageModel model = LanguageModel::load(folder.path());
  EXPECT_EQ(model.info().quality_buckets, 0);
}

TEST(TrainModel, TimeBecomesANumberOfSteps) {
  const test::ScratchFolder folder;
  Recipe recipe = small_recipe();
  recipe.time_s = 0.5;
  const auto labels = test::fake_labels(test::product_spaces(space::Split::kTrain, 3), 10);
  const TrainedModel trained = run(recipe, folder.path(), labels);
  EXPECT_GE(trained.steps, 1);
  EXPECT_EQ(trained.metrics.size(), static_cast<size_t>(trained.steps));
  EXPECT_LT(trained.metrics.back().seconds, 5);
  EXPECT_EQ(run(recipe, folder.path(), labels, true).steps, trained.steps);  // kept, not measured again
}

TEST(TrainModel, WhatWouldMixTrainingsIsRefused) {
  const auto labels = test::fake_labels(test::product_spaces(space::Split::kTrain, 3), 10);
  const test::ScratchFolder folder;
  Recipe recipe = small_recipe();
  recipe.steps = 2;
  run(recipe, folder.path(), labels);
  const auto refusal = [&](const Recipe& r, std::vector<LabelledWorkload> l, bool resume) -> std::string {
    try {
      run(r, folder.path(), std::move(l), resume);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage);
      return e.what();
    }
    return "";
  };
  EXPECT_NE(refusal(recipe, labels, false).find("--resume"), std::string::npos);
  Recipe other = recipe;
  other.rate = 1e-4, other.width = 64;
  EXPECT_NE(refusal(other, labels, true).find("width, rate"), std::string::npos);
  auto fewer = labels;
  fewer.pop_back();
  EXPECT_NE(refusal(recipe, fewer, true).find("the records are not those"), std::string::npos);
  EXPECT_EQ(refusal(recipe, labels, true), "");
}

TEST(TrainModel, TooFewProgramsToKnowTheBestLeaveNothingBehind) {
  const test::ScratchFolder folder;
  Recipe recipe = small_recipe();
  recipe.quality = "best", recipe.enough = 1000;
  try {
    run(recipe, folder.path(), test::fake_labels(test::product_spaces(space::Split::kTrain, 2), 10));
    FAIL() << "there is nothing to learn from";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("--enough"), std::string::npos) << e.what();
  }
  EXPECT_FALSE(recipe_of(folder.path()));
}

TEST(Recipe, RefusalsNameWhatIsWrong) {
  struct Case {
    void (*change)(Recipe&);
    const char* message;
  };
  const Case cases[] = {
      {[](Recipe& r) { r.loss = "some"; }, "no loss is called 'some'"},
      {[](Recipe& r) { r.quality = "some"; }, "no quality mode is called 'some'"},
      {[](Recipe& r) { r.blind = "some"; }, "'some'"},
      {[](Recipe& r) { r.heads = 5; }, "cannot be shared by 5 heads"},
      {[](Recipe& r) { r.buckets = 17; }, "2 to 16 qualities"},
      {[](Recipe& r) { r.fraction = 1.5; }, "fraction must be from 0 to 1"},
      {[](Recipe& r) { r.rate = 0; }, "rate must be positive"},
      {[](Recipe& r) { r.epochs = 0; }, "epochs must be positive"},
  };
  for (const Case& c : cases) {
    Recipe r = small_recipe();
    EXPECT_NO_THROW(check(r));
    c.change(r);
    try {
      check(r);
      ADD_FAILURE() << c.message;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(c.message), std::string::npos) << e.what();
    }
  }
  const Recipe r = small_recipe();
  EXPECT_EQ(print_recipe(parse_recipe(print_recipe(r), "test")), print_recipe(r));
  EXPECT_THROW(parse_recipe("{}", "test"), Error);
}

}  // namespace
}  // namespace tlm::lm
