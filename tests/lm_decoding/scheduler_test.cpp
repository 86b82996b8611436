// The language model as a scheduler: what it reads, what it falls back to, what it repeats.
#include "tlm/lm/lm_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "tests/lm_decoding/models.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/decoding/strategies.h"
#include "tlm/space/language/grammar.h"

namespace tlm::lm {
namespace {

using Spaces = std::vector<std::shared_ptr<const space::Space>>;

std::shared_ptr<const LanguageModel> shared(LanguageModel model) {
  return std::make_shared<const LanguageModel>(std::move(model));
}

LmScheduler scheduler(std::shared_ptr<const LanguageModel> model, const std::string& strategy, int schedules,
                      DecodeOptions options = {}) {
  return LmScheduler(std::move(model), standard_strategies().make(strategy, schedules > 1 ? schedules : 0), std::move(options),
                     schedules);
}

space::Schedule constructive(const space::Space& space) {
  const space::Walk walk = space.constructive();
  return walk.schedule();
}

// By a hash of the schedule; one in four cannot be timed.
class FakeMeasurer : public space::Measurer {
 public:
  space::Batch measure(const space::Space&, const std::vector<space::Schedule>& schedules, const CancelToken&) override {
    space::Batch batch;
    for (const space::Schedule& s : schedules) {
      space::Measurement m;
      m.status = space::hash(s) % 4 == 0 ? space::MeasureStatus::kWrong : space::MeasureStatus::kOk;
      m.ratio = m.status == space::MeasureStatus::kOk ? 1 + static_cast<double>(space::hash(s) % 1000) : 0;
      m.median_ms = m.ratio > 0 ? 1 / m.ratio : 0;
      batch.programs.push_back(m);
    }
    most = std::max(most, schedules.size());
    return batch;
  }
  size_t most = 0;
};

TEST(LmScheduler, DifferentSchedulesLegalAndComplete) {
  const Spaces spaces = test::some_spaces(6);
  for (const char* strategy : {"greedy", "sampling:temperature=2", "beam", "gumbel"}) {
    LmScheduler lm = scheduler(shared(test::random_model(1)), strategy, 5);
    const auto schedules = lm.schedule(spaces);
    ASSERT_EQ(schedules.size(), spaces.size());
    for (size_t i = 0; i < spaces.size(); ++i) {
      ASSERT_FALSE(schedules[i].empty());
      EXPECT_LE(schedules[i].size(), std::string(strategy) == "greedy" ? 1u : 5u);
      for (size_t a = 0; a < schedules[i].size(); ++a) {
        EXPECT_TRUE(spaces[i]->replay(schedules[i][a]).ok());
        for (size_t b = 0; b < a; ++b) EXPECT_NE(schedules[i][a], schedules[i][b]);
      }
    }
    EXPECT_TRUE(lm.report().fallbacks.empty());
    EXPECT_EQ(lm.report().workloads, 6);
    EXPECT_GT(lm.report().milliseconds, 0);
  }
}

// The prompt is what tells one workload from another: told of another one, the model writes something else.
TEST(LmScheduler, SwappedPromptsChangeSchedules) {
  const Spaces spaces = test::some_spaces(12);
  const auto model = shared(test::random_model(2));
  const auto own = scheduler(model, "greedy", 1).schedule(spaces);
  const auto other = scheduler(model, "greedy", 1, test::swapped_prompts(spaces, model->info().form)).schedule(spaces);
  size_t changed = 0;
  for (size_t i = 0; i < spaces.size(); ++i) changed += own[i] != other[i];
  std::printf("%zu of %zu schedules change\n", changed, spaces.size());
  EXPECT_GT(changed, spaces.size() / 2);
  DecodeOptions same;
  same.prompt = [&](const space::Space& space) { return write_prompt(space, model->info().form); };
  EXPECT_EQ(scheduler(model, "greedy", 1, same).schedule(spaces), own);
}

TEST(LmScheduler, SentencesBeyondTheContextFallBack) {
  const Spaces spaces = test::some_spaces(10);
  const auto wide = scheduler(shared(test::random_model(3, standard_language(), 512)), "greedy", 1).schedule(spaces);
  // The same weights with fewer positions: sentences that still fit are the same.
  Weights weights(
      {.layers = 2, .heads = 4, .width = 32, .inner = 128, .context = 512, .vocabulary = space::Vocabulary::standard().size()});
  weights.initialize(3);
  Rng rng(3);
  for (float& v : weights.data()) v += static_cast<float>(0.1 * rng.normal());
  constexpr int64_t kContext = 130;
  Config config = weights.config();
  config.context = kContext;
  Weights cut(config);
  for (size_t t = 0; t < cut.table().size(); ++t)
    std::copy_n(weights.data().begin() + static_cast<std::ptrdiff_t>(weights.table()[t].offset), cut.table()[t].count,
                cut.data().begin() + static_cast<std::ptrdiff_t>(cut.table()[t].offset));
  LmScheduler lm = scheduler(shared(LanguageModel(std::move(cut), standard_language(), "cut")), "greedy", 1);
  const auto narrow = lm.schedule(spaces);
  const std::vector<std::string>& fallbacks = lm.report().fallbacks;
  size_t fallen = 0;
  for (size_t i = 0; i < spaces.size(); ++i) {
    const bool fell = std::any_of(fallbacks.begin(), fallbacks.end(),
                                  [&](const std::string& f) { return f.starts_with(spaces[i]->subgraph().name + ": "); });
    EXPECT_EQ(narrow[i].at(0), fell ? constructive(*spaces[i]) : wide[i].at(0));
    fallen += fell;
  }
  EXPECT_GT(fallen, 0u);
  EXPECT_LT(fallen, spaces.size());
  EXPECT_EQ(fallen, fallbacks.size());
  EXPECT_NE(fallbacks.at(0).find(" in a context of 130"), std::string::npos) << fallbacks[0];
}

TEST(LmScheduler, ATargetThatItWasNotTrainedForFallsBack) {
  Target gpu = named_target("sm_90");
  const auto space = space::Space::build(test::some_spaces(1)[0]->subgraph(), gpu);
  LmScheduler lm = scheduler(shared(test::random_model(4)), "greedy", 1);
  EXPECT_EQ(lm.schedule({space}).at(0).at(0), constructive(*space));
  ASSERT_EQ(lm.report().fallbacks.size(), 1u);
  EXPECT_NE(lm.report().fallbacks[0].find("not trained for this kind of device"), std::string::npos);
}

// A checkpoint from before a decision, or one of its candidates, existed.
TEST(LmScheduler, DecisionsWithoutWordsAreTakenByDefault) {
  Spaces spaces;  // whose sentences fit, whatever networks are at hand
  for (const auto& s : test::some_spaces(40))
    if (s->subgraph().stages.size() <= 2) spaces.push_back(s);
  for (const char* word : {"@micro", "panels", "epilogue"}) {
    LanguageInfo info = standard_language();
    std::erase(info.words, word);
    LmScheduler lm = scheduler(shared(test::random_model(5, info)), "gumbel", 4);
    const auto schedules = lm.schedule(spaces);
    std::map<std::string, int> first, last;  // by kind, of the first and the last schedule of each space
    std::vector<space::Schedule> taken;
    for (size_t i = 0; i < spaces.size(); ++i) {
      taken.push_back(schedules[i].back());
      for (const space::Schedule& s : schedules[i]) {
        // Replay: where a candidate is written with the word, the constructive choice was taken.
        const space::Walk walk = spaces[i]->replay(s).value();
        space::Walk again = spaces[i]->walk();
        for (const int chosen : walk.chosen()) {
          space::Grammar grammar(again);
          const std::vector<space::Token> words = grammar.words();
          const space::Token lacked = space::Vocabulary::standard().token(word);
          if (std::find(words.begin(), words.end(), lacked) != words.end()) {
            EXPECT_EQ(chosen, again.constructive()) << word << " in " << again.decision().name;
            if (&s == &schedules[i].front()) ++first[space::kind_name(again.decision().kind)];
            if (&s == &schedules[i].back()) ++last[space::kind_name(again.decision().kind)];
          }
          again.choose(chosen);
        }
      }
    }
    EXPECT_FALSE(first.empty()) << word;
    EXPECT_EQ(lm.report().defaults, first) << word;
    lm.tell_taken(taken);
    EXPECT_EQ(lm.report().defaults, last) << word;
    if (std::string(word) == "@micro") {
      EXPECT_EQ(first.size(), 1u);
      EXPECT_TRUE(first.contains("micro"));
    }
    // What was not written here, such as the anchor of a measurement, has none.
    for (space::Schedule& s : taken) s = {};
    lm.tell_taken(taken);
    EXPECT_TRUE(lm.report().defaults.empty());
    EXPECT_TRUE(lm.report().fallbacks.empty());
  }
}

TEST(LmScheduler, BestOfMeasuredTakesTheFastest) {
  const Spaces spaces = test::some_spaces(5);
  const auto model = shared(test::random_model(6));
  const auto fake = std::make_shared<FakeMeasurer>();
  DecodeOptions options;
  options.measurer = fake;
  const auto best = scheduler(model, "best-of:n=6", 1, options).schedule(spaces);
  const auto all = scheduler(model, "gumbel:n=6", 6).schedule(spaces);
  EXPECT_EQ(fake->most, 6u);
  for (size_t i = 0; i < spaces.size(); ++i) {
    const space::Batch batch = fake->measure(*spaces[i], all[i], {});
    size_t fastest = 0;
    for (size_t k = 1; k < all[i].size(); ++k)
      if (batch.programs[k].ratio > batch.programs[fastest].ratio) fastest = k;
    EXPECT_EQ(best[i].at(0), all[i][fastest]);
  }
  EXPECT_THROW(scheduler(model, "best-of:n=6", 1).schedule(spaces), Error) << "nothing measures";
}

TEST(LmScheduler, CanBeCancelled) {
  DecodeOptions options;
  options.cancel.cancel();
  try {
    scheduler(shared(test::random_model(7)), "greedy", 1, options).schedule(test::some_spaces(2));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
  }
}

}  // namespace
}  // namespace tlm::lm
