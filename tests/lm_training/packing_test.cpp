#include "tlm/lm/training/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/lm_training/fake_records.h"
#include "tlm/lm/training/recipe.h"

namespace tlm::lm {
namespace {

using space::Token;

class Packing : public testing::Test {
 protected:
  static const Dataset& data() {
    static const Datasets sets = [] {
      auto labels = test::fake_labels(test::product_spaces(space::Split::kTrain, 4), 40);
      labels[1].programs.resize(5);  // groups of different sizes
      return make_datasets(std::move(labels), {}, serial_executor(), CancelToken(), no_progress());
    }();
    return sets.train;
  }
  // How often each program of a group is drawn.
  static std::map<uint32_t, int> draws(const std::vector<std::vector<Item>>& plan, uint32_t group) {
    std::map<uint32_t, int> count;
    for (const auto& batch : plan)
      for (const Item& item : batch)
        if (item.group == group)
          for (const uint32_t p : item.programs) ++count[p];
    return count;
  }
  static int total(const std::map<uint32_t, int>& counts) {
    int n = 0;
    for (const auto& [program, count] : counts) n += count;
    return n;
  }
};

TEST_F(Packing, AnEpochDrawsEachProgramOnce) {
  PackingOptions options{.branches = 7, .tokens = 1500, .balance = 0};
  const auto plan = plan_epoch(data(), options, 3, 0);
  for (uint32_t g = 0; g < data().groups.size(); ++g) {
    const auto counts = draws(plan, g);
    EXPECT_EQ(counts.size(), data().groups[g].programs.size());
    for (const auto& [program, n] : counts) EXPECT_EQ(n, 1);
  }
  for (const auto& batch : plan) {
    for (const Item& item : batch) EXPECT_LE(item.programs.size(), 7u);
    if (batch.size() > 1) {
      EXPECT_LE(pack(data(), batch, options).tokens.size(), 1500u);
    }
  }
}

// The documentation says why it is 24 and not the 64 of the design (docs/training.md, Quality).
TEST_F(Packing, TwentyFourProgramsAreEnoughToKnowTheBest) {
  EXPECT_EQ(PackingOptions().enough, 24);
  EXPECT_EQ(Recipe().packing().enough, 24);
  PromptGroup g = data().groups[0];
  g.programs.resize(24);
  EXPECT_EQ(quality_of(g, g.programs[0], Recipe().packing()), 0);
  EXPECT_GE(best_of(g, Recipe().packing()), 1u);
  g.programs.resize(23);
  EXPECT_EQ(quality_of(g, g.programs[0], Recipe().packing()), 1);
  EXPECT_EQ(best_of(g, Recipe().packing()), 0u);
}

TEST_F(Packing, BalanceMakesWorkloadsCountAlike) {
  PackingOptions options{.balance = 1};
  const auto plan = plan_epoch(data(), options, 3, 0);
  const int first = total(draws(plan, 0));
  for (uint32_t g = 1; g < data().groups.size(); ++g) EXPECT_NEAR(total(draws(plan, g)), first, 1);
  for (const auto& [program, n] : draws(plan, 1)) EXPECT_NEAR(n, total(draws(plan, 1)) / 5.0, 1);  // evenly over its five
}

TEST_F(Packing, PlansFollowFromSeedAndEpoch) {
  const PackingOptions options;
  const auto text = [&](uint64_t seed, int64_t epoch) {
    std::string out;
    for (const auto& batch : plan_epoch(data(), options, seed, epoch))
      for (const Item& item : batch) {
        out += std::to_string(item.group) + (item.unknown_target ? "u" : "k");
        for (const uint32_t p : item.programs) out += " " + std::to_string(p);
        out += "\n";
      }
    return out;
  };
  EXPECT_EQ(text(1, 2), text(1, 2));
  EXPECT_NE(text(1, 2), text(1, 3));
  EXPECT_NE(text(1, 2), text(2, 2));
}

TEST_F(Packing, TheBestAlone) {
  PackingOptions options{.quality = QualityMode::kBest, .enough = 6, .best = 3};
  const auto plan = plan_epoch(data(), options, 1, 0);
  for (uint32_t g = 0; g < data().groups.size(); ++g) {
    const size_t best = best_of(data().groups[g], options);
    EXPECT_EQ(best == 0, g == 1) << "five programs are too few";
    for (const auto& [program, n] : draws(plan, g)) EXPECT_LT(program, best);
  }
  for (const Item& item : plan[0]) EXPECT_TRUE(item.qualities.empty());
  const TrainingBatch batch = pack(data(), plan[0], options);
  const Token quality = space::Vocabulary::standard().token("<quality>");
  EXPECT_EQ(std::count(batch.tokens.begin(), batch.tokens.end(), quality), 0);
}

TEST_F(Packing, SoftDrawsFollowTheGap) {
  PackingOptions options{.quality = QualityMode::kBest, .enough = 6, .soft = 0.2, .balance = 1};
  std::map<uint32_t, int> counts;
  for (int64_t epoch = 0; epoch < 400; ++epoch)
    for (const auto& [program, n] : draws(plan_epoch(data(), options, 1, epoch), 0)) counts[program] += n;
  const PromptGroup& g = data().groups[0];
  double sum = 0;
  for (const TrainingSentence& s : g.programs) sum += s.slow ? 0 : std::exp(-s.gap / options.soft);
  const double all = total(counts);
  ASSERT_GT(all, 1000);
  for (size_t p = 0; p < g.programs.size(); ++p) {
    const double expected = g.programs[p].slow ? 0 : all * std::exp(-g.programs[p].gap / options.soft) / sum;
    EXPECT_NEAR(counts[static_cast<uint32_t>(p)], expected, 5 * std::sqrt(expected) + 1) << "gap " << g.programs[p].gap;
  }
  EXPECT_TRUE(draws(plan_epoch(data(), options, 1, 0), 1).empty()) << "five programs are too few";
}

TEST_F(Packing, TaughtGroupsKnowTheirBest) {
  PromptGroup g = data().groups[1];
  const PackingOptions options{.enough = 6};
  EXPECT_EQ(best_of(g, options), 0u);
  EXPECT_EQ(quality_of(g, g.programs[0], options), 1);
  g.taught = true;
  EXPECT_GE(best_of(g, options), 1u);
  EXPECT_EQ(quality_of(g, g.programs[0], options), 0);
}

TEST_F(Packing, ShareOfTheTeacher) {
  Dataset some = data();
  const PackingOptions options{.enough = 1};
  EXPECT_EQ(taught_share(some, options), 0);
  some.groups[1].taught = true;
  double taught = 0, all = 0;
  for (const auto& items : plan_epoch(some, options, 1, 0))
    for (const Item& item : items) {
      all += static_cast<double>(item.programs.size());
      if (item.group == 1) taught += static_cast<double>(item.programs.size());
    }
  EXPECT_GT(taught, 0);
  EXPECT_DOUBLE_EQ(taught_share(some, options), taught / all);
}

TEST_F(Packing, NumbersAreWithheldEachTimeAnew) {
  const Token unknown = space::Vocabulary::standard().token("unknown");
  PackingOptions options{.unknown_target = 0, .withheld = 0.5};
  std::set<std::vector<int32_t>> prompts;
  for (int64_t epoch = 0; epoch < 4; ++epoch)
    for (const auto& items : plan_epoch(data(), options, 1, epoch)) {
      const TrainingBatch batch = pack(data(), items, options);
      EXPECT_EQ(batch.tokens, pack(data(), items, options).tokens);
      size_t segment = 0;
      for (const Item& item : items) {
        const Segment s = batch.segments[segment];
        segment += 1 + item.programs.size();
        const std::vector<int32_t> prompt(batch.tokens.begin() + s.begin, batch.tokens.begin() + s.end);
        prompts.insert(prompt);
        EXPECT_LE(prompt.size(), data().groups[item.group].prompt.size());
        EXPECT_GT(std::count(prompt.begin(), prompt.end(), unknown), 0);
      }
    }
  EXPECT_GT(prompts.size(), data().groups.size());
}

TEST_F(Packing, BothDrawsTheBestMoreOften) {
  PackingOptions options{.quality = QualityMode::kBoth, .enough = 6, .best = 3, .balance = 0};
  const auto counts = draws(plan_epoch(data(), options, 1, 0), 0);
  const size_t best = best_of(data().groups[0], options);
  int of_best = 0;
  for (const auto& [program, n] : counts) of_best += program < best ? n : 0;
  EXPECT_GE(2 * of_best, total(counts));
}

TEST_F(Packing, TargetsAreChoicesWithTheirLegalTokens) {
  PackingOptions options{.enough = 1, .branches = 4, .tokens = 4000};
  for (const bool legal_loss : {true, false}) {
    options.legal_loss = legal_loss;
    for (const auto& items : plan_epoch(data(), options, 1, 0)) {
      const TrainingBatch batch = pack(data(), items, options);
      size_t segment = 0;
      for (const Item& item : items) {
        const PromptGroup& g = data().groups[item.group];
        const Segment prompt = batch.segments[segment++];
        const std::vector<int32_t> read(batch.tokens.begin() + prompt.begin, batch.tokens.begin() + prompt.end);
        EXPECT_EQ(read, item.unknown_target ? g.blind_prompt : g.prompt);
        for (int64_t i = prompt.begin; i < prompt.end; ++i)
          EXPECT_EQ(batch.targets[static_cast<size_t>(i)], TrainingBatch::kNoTarget);
        for (const uint32_t p : item.programs) {
          const Segment branch = batch.segments[segment++];
          EXPECT_EQ(branch.prefix_begin, prompt.begin);
          EXPECT_EQ(branch.prefix_end, prompt.end);
          const TrainingSentence& s = g.programs[p];
          ASSERT_EQ(branch.end - branch.begin, s.count + 2);
          const auto at = [&](int64_t i) { return static_cast<size_t>(branch.begin + i); };
          EXPECT_EQ(space::to_text({batch.tokens[at(0)], batch.tokens[at(1)]}),
                    "<quality> " + std::to_string(quality_of(g, s, options)));
          EXPECT_EQ(batch.targets[at(0)], TrainingBatch::kNoTarget);  // the quality is given, not foretold
          for (int64_t i = 0; i < s.count; ++i) {
            const auto token = static_cast<int32_t>(data().tokens(s)[static_cast<size_t>(i)]);
            const int32_t legal = data().legal(s)[static_cast<size_t>(i)];
            EXPECT_EQ(batch.tokens[at(i + 2)], token);
            if (legal == Dataset::kForced && legal_loss) {
              EXPECT_EQ(batch.targets[at(i + 1)], TrainingBatch::kNoTarget);
              continue;
            }
            EXPECT_EQ(batch.targets[at(i + 1)], token);
            if (legal_loss) {
              EXPECT_EQ(batch.legal_sets[static_cast<size_t>(batch.legal[at(i + 1)])],
                        data().legal_sets[static_cast<size_t>(legal)]);
            } else {
              EXPECT_EQ(batch.legal[at(i + 1)], TrainingBatch::kAllLegal);
            }
          }
          EXPECT_EQ(batch.targets[at(s.count + 1)], TrainingBatch::kNoTarget);  // nothing follows <end>
        }
      }
      EXPECT_EQ(segment, batch.segments.size());
    }
  }
}

TEST_F(Packing, AShareOfTargetsIsWithheld) {
  PackingOptions options{.branches = 1, .unknown_target = 0.25};
  int withheld = 0, all = 0;
  for (int64_t epoch = 0; epoch < 4; ++epoch)
    for (const auto& batch : plan_epoch(data(), options, 1, epoch))
      for (const Item& item : batch) withheld += item.unknown_target, ++all;
  EXPECT_NEAR(withheld, 0.25 * all, 4 * std::sqrt(0.25 * 0.75 * all));
}

}  // namespace
}  // namespace tlm::lm
