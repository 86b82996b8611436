#include "tlm/lm/training/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lm_training/fake_records.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"
#include "tlm/space/language/grammar.h"
#include "tlm/space/language/sentence.h"
#include "tlm/space/records/split_key.h"
#include "tlm/space/records/workload_kind.h"

namespace tlm::lm {
namespace {

using space::Split;
using space::Token;

Datasets make(std::vector<LabelledWorkload> labels, const DatasetOptions& options = {}, Executor& executor = serial_executor()) {
  return make_datasets(std::move(labels), options, executor, CancelToken(), no_progress());
}

TEST(Dataset, SentencesAreTheScheduleWithWhatWasLegal) {
  const auto spaces = test::product_spaces(Split::kTrain, 2);
  const auto labels = test::fake_labels(spaces, 30);
  const Datasets sets = make(labels);
  ASSERT_EQ(sets.train.groups.size(), labels.size());
  EXPECT_TRUE(sets.dev.groups.empty());
  int64_t choices = 0;
  for (size_t g = 0; g < labels.size(); ++g) {
    const PromptGroup& group = sets.train.groups[g];
    const auto space = std::find_if(spaces.begin(), spaces.end(),
                                    [&](const auto& s) { return ir::workload_hash(s->subgraph()) == group.workload_hash; });
    ASSERT_NE(space, spaces.end());
    EXPECT_EQ(group.prompt, space::prompt_tokens(**space));
    EXPECT_EQ(group.blind_prompt, with_unknown_target(group.prompt));
    EXPECT_EQ(group.kind, "product");
    ASSERT_EQ(group.programs.size(), labels[g].programs.size());
    for (size_t p = 0; p < group.programs.size(); ++p) {
      const TrainingSentence& s = group.programs[p];
      const LabelledProgram& label = labels[g].programs[p];  // both fastest first
      EXPECT_NEAR(s.gap, labels[g].programs[0].log_ratio - label.log_ratio, 1e-5);
      space::Grammar grammar((*space)->walk());
      for (size_t i = 0; i < s.count; ++i) {
        const int32_t legal = sets.train.legal(s)[i];
        ASSERT_EQ(legal == Dataset::kForced, grammar.forced());
        if (legal != Dataset::kForced) {
          ASSERT_EQ(sets.train.legal_sets[static_cast<size_t>(legal)], grammar.allowed());
          ++choices;
        }
        grammar.advance(sets.train.tokens(s)[i]);
      }
      ASSERT_TRUE(grammar.done());
      if (p > 0 && group.programs[p - 1].gap == s.gap) continue;  // a tie: in either order
      if (p + 1 < group.programs.size() && group.programs[p + 1].gap == s.gap) continue;
      EXPECT_EQ(space::print(grammar.walk().schedule()), label.schedule);
    }
  }
  EXPECT_GT(choices, 100);
}

TEST(Dataset, TheSameOnAnyNumberOfThreads) {
  const auto labels = test::fake_labels(test::product_spaces(Split::kTrain, 5), 10);
  ThreadPool pool({.width = 3});
  const uint64_t serial = make(labels).train.fingerprint();
  EXPECT_EQ(make(labels, {}, pool).train.fingerprint(), serial);
  auto changed = labels;
  changed[2].programs[1].log_ratio -= 0.01;
  EXPECT_NE(make(changed).train.fingerprint(), serial);
}

TEST(Dataset, WhatIsNotLearnedFromIsCounted) {
  auto labels = test::fake_labels(test::product_spaces(Split::kTrain, 6), 10);
  const auto all = static_cast<int64_t>(labels[0].programs.size());
  const auto dev = test::fake_labels(test::product_spaces(Split::kDev, 2), 10);
  labels.insert(labels.end(), dev.begin(), dev.end());
  labels[0].programs[0].schedule = "no schedule at all";
  labels[0].programs[1].schedule = "micro.s0=nonsense";
  DatasetOptions options;
  const uint64_t held_out = labels[1].workload_hash;
  options.obstacle = [&](const ir::Subgraph& g, const Target&) { return ir::workload_hash(g) == held_out ? "it is known" : ""; };
  Datasets sets = make(labels, options);
  EXPECT_EQ(sets.train.groups.size(), 5u);
  EXPECT_EQ(sets.dev.groups.size(), 2u);
  EXPECT_EQ(sets.train_counts.refused, 2);
  EXPECT_EQ(sets.train_counts.held_out, static_cast<int64_t>(labels[1].programs.size()));
  EXPECT_EQ(sets.train_counts.reasons.at("it is known"), sets.train_counts.held_out);
  EXPECT_EQ(sets.train.groups[0].programs.size(), static_cast<size_t>(all - 2));

  const int64_t longest = sets.train_counts.longest;
  options = {.context = longest - 1};
  sets = make(labels, options);
  EXPECT_GT(sets.train_counts.too_long, 0);
  EXPECT_EQ(sets.train_counts.longest, longest);
  for (const PromptGroup& g : sets.train.groups)
    for (const TrainingSentence& s : g.programs) EXPECT_LT(static_cast<int64_t>(g.prompt.size()) + 2 + s.count, longest);

  options = {.leave_out_kinds = {"product"}};
  sets = make(labels, options);
  EXPECT_TRUE(sets.train.groups.empty());
  EXPECT_GT(sets.train_counts.left_out, 0);
  EXPECT_EQ(sets.dev.groups.size(), 2u);  // dev stays whole
  options = {.leave_out_variants = {sets.dev.groups[0].variant}};
  EXPECT_TRUE(make(labels, options).train.groups.empty());
}

// Labels whose records claim a key that is not theirs.
std::vector<LabelledWorkload> with_foreign_key(const space::Space& from, const std::shared_ptr<const space::Space>& to) {
  Labels labels;
  for (space::Record r : test::fake_records(to, 10, 1)) {
    r.split_key = space::split_key(from.subgraph());
    labels.add(r);
  }
  return labels.take();
}

TEST(Dataset, SplitsFollowFromTheWorkloadNotFromTheRecord) {
  const auto train = test::product_spaces(Split::kTrain, 1)[0], dev = test::product_spaces(Split::kDev, 1)[0],
             tested = test::product_spaces(Split::kTest, 1)[0];
  Datasets sets = make(with_foreign_key(*train, dev));
  EXPECT_TRUE(sets.train.groups.empty());
  EXPECT_EQ(sets.train_counts.programs, 0);
  ASSERT_EQ(sets.dev.groups.size(), 1u);
  EXPECT_EQ(sets.dev.groups[0].split_key, space::split_key(dev->subgraph()));
  sets = make(with_foreign_key(*dev, train));
  EXPECT_EQ(sets.train.groups.size(), 1u);
  EXPECT_TRUE(sets.dev.groups.empty());
  try {
    make(with_foreign_key(*train, tested));
    FAIL() << "a test record was taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(e.what()).find("a record of a test workload"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("\"" + tested->subgraph().name + "\""), std::string::npos) << e.what();
  }
}

TEST(Dataset, ListedTestWorkloadsAreRefusedWhateverTheirSplit) {
  for (const Split split : {Split::kTrain, Split::kDev}) {
    const auto spaces = test::product_spaces(split, 2);
    DatasetOptions options;
    options.is_test = [&](const ir::Subgraph& g) { return ir::workload_hash(g) == ir::workload_hash(spaces[1]->subgraph()); };
    EXPECT_NO_THROW(make(test::fake_labels({spaces[0]}, 5), options));
    EXPECT_THROW(make(test::fake_labels(spaces, 5), options), Error);
  }
}

TEST(Dataset, FractionsAreNestedAndOfWorkloads) {
  const auto labels = test::fake_labels(test::product_spaces(Split::kTrain, 40), 2);
  std::vector<uint64_t> before;
  for (const double fraction : {0.2, 0.5, 0.8, 1.0}) {
    DatasetOptions options;
    options.fraction = fraction;
    const Datasets sets = make(labels, options);
    std::vector<uint64_t> now;
    for (const PromptGroup& g : sets.train.groups) now.push_back(g.workload_hash);
    EXPECT_NEAR(static_cast<double>(now.size()), fraction * static_cast<double>(labels.size()),
                0.25 * static_cast<double>(labels.size()));
    for (const uint64_t hash : before) EXPECT_NE(std::find(now.begin(), now.end(), hash), now.end());
    EXPECT_GE(now.size(), before.size());
    before = now;
  }
  EXPECT_EQ(before.size(), labels.size());
}

TEST(Dataset, InterruptionIsHeard) {
  const auto labels = test::fake_labels(test::product_spaces(Split::kTrain, 2), 4);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(make_datasets(labels, {}, serial_executor(), cancel, no_progress()), Error);
}

}  // namespace
}  // namespace tlm::lm
