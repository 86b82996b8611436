#include "tlm/lm/decoding/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>

#include "tests/lm_decoding/models.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/decoding/near_tie.h"
#include "tlm/lm/decoding/strategies.h"
#include "tlm/lm/decoding/token_filter.h"
#include "tlm/space/language/grammar.h"
#include "tlm/space/language/sentence.h"

namespace tlm::lm {
namespace {

using Spaces = std::vector<std::shared_ptr<const space::Space>>;

const char* const kStrategies[] = {"greedy", "sampling:n=6,temperature=0.7,top-p=0.9", "beam:n=3", "gumbel:n=4"};

std::vector<Answer> run(const LanguageModel& model, const Spaces& spaces, const std::string& strategy, uint64_t seed = 1,
                        Executor* executor = nullptr) {
  DecodeOptions options;
  options.seed = seed;
  options.executor = executor;
  return decode(model, spaces, *standard_strategies().make(strategy), options);
}

std::string text(const Answer& answer) {
  std::string out = answer.reason;
  for (const Sentence& s : answer.sentences) out += "\n" + space::to_text(s.tokens) + " " + std::to_string(s.log_probability);
  return out;
}

// Log-probability of a sentence, computed the plain way: the whole of it read at once behind the opening, choice by choice.
double log_probability_of(const LanguageModel& model, const std::shared_ptr<const space::Space>& space, const Sentence& s,
                          int quality = 0) {
  const auto V = static_cast<size_t>(model.model().config().vocabulary);
  std::vector<int32_t> ids = model.opening(space::prompt_tokens(*space), quality);
  const size_t opening = ids.size();
  for (const space::Token t : s.tokens) ids.push_back(model.id_of(t));
  ids.pop_back();
  KvCache cache(model.model().config());
  const Chunk chunk{ids, &cache};
  const std::vector<float> logits = model.model().forward({&chunk, 1}, LogitsOf::kEveryToken, serial_executor());
  space::Grammar grammar(space->walk());
  double total = 0;
  for (size_t i = 0; i < s.tokens.size(); ++i) {
    const std::vector<space::Token> allowed = grammar.allowed();
    std::vector<double> log_p;
    for (const space::Token t : allowed) log_p.push_back(logits[(opening + i - 1) * V + static_cast<size_t>(model.id_of(t))]);
    normalize(log_p);
    total += log_p[static_cast<size_t>(std::find(allowed.begin(), allowed.end(), s.tokens[i]) - allowed.begin())];
    grammar.advance(s.tokens[i]);
  }
  return total;
}

TEST(Decoder, SentencesAreLegalAndTheirProbabilitiesAreThoseOfTheModel) {
  const Spaces spaces = test::some_spaces(8);
  for (const LanguageInfo& info : {standard_language({}, 4), standard_language()})
    for (const char* strategy : kStrategies) {
      const LanguageModel model = test::random_model(1, info);
      const std::vector<Answer> answers = run(model, spaces, strategy);
      ASSERT_EQ(answers.size(), spaces.size());
      double largest = 0;
      for (size_t i = 0; i < answers.size(); ++i) {
        ASSERT_FALSE(answers[i].sentences.empty()) << answers[i].reason;
        for (size_t k = 0; k < answers[i].sentences.size(); ++k) {
          const Sentence& s = answers[i].sentences[k];
          const Result<space::Walk> read = space::read_decisions(spaces[i], s.tokens);
          ASSERT_TRUE(read.ok()) << read.reason();
          EXPECT_EQ(read->schedule(), s.walk.schedule());
          EXPECT_TRUE(spaces[i]->replay(s.walk.schedule()).ok());
          EXPECT_TRUE(s.defaults.empty());
          largest = std::max(largest, std::abs(s.log_probability - log_probability_of(model, spaces[i], s)));
          if (k > 0) {
            EXPECT_GE(answers[i].sentences[k - 1].log_probability + kNearTie, s.log_probability) << strategy;
          }
        }
      }
      std::printf("%s: log-probabilities differ by %.2g at most\n", strategy, largest);
      EXPECT_LT(largest, 1e-3) << strategy;
    }
}

TEST(Decoder, AsksForTheQualityWanted) {
  const Spaces spaces = test::some_spaces(6);
  const LanguageModel model = test::random_model(1, standard_language({}, 4));
  const auto greedy = standard_strategies().make("greedy");
  const auto asked = [&](const LanguageModel& m, std::optional<int> quality) {
    DecodeOptions options;
    options.quality = quality;
    return decode(m, spaces, *greedy, options);
  };
  const std::vector<Answer> best = asked(model, {});
  size_t changed = 0;
  for (const int quality : {0, 1, 3}) {
    const std::vector<Answer> answers = asked(model, quality);
    for (size_t i = 0; i < spaces.size(); ++i) {
      const Sentence& s = answers[i].sentences.at(0);
      EXPECT_NEAR(s.log_probability, log_probability_of(model, spaces[i], s, quality), 1e-3);
      if (quality == 0) {
        EXPECT_EQ(text(answers[i]), text(best[i]));
      } else {
        changed += text(answers[i]) != text(best[i]);
      }
    }
  }
  EXPECT_GT(changed, spaces.size()) << "of twice as many";
  const auto refusal = [&](const LanguageModel& m, int quality) {
    try {
      asked(m, quality);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage);
      return e.hint();
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal(model, 4), "it knows the qualities 0 (the best) to 3");
  EXPECT_EQ(refusal(model, -1), "it knows the qualities 0 (the best) to 3");
  EXPECT_EQ(refusal(test::random_model(1), 0), "it was trained without qualities: ask for none");
}

TEST(Decoder, TheSameAloneInABatchOnThreadsAndInGroups) {
  const LanguageModel model = test::random_model(2, standard_language({}, 4));
  const Spaces spaces = test::some_spaces(7);
  ThreadPool two({.width = 2});
  for (const char* strategy : kStrategies) {
    const std::vector<Answer> first = run(model, spaces, strategy, 5);
    const std::vector<Answer> threads = run(model, spaces, strategy, 5, &two);
    DecodeOptions small;
    small.seed = 5;
    small.cache_bytes = 1;  // a prompt at a time
    const std::vector<Answer> groups = decode(model, spaces, *standard_strategies().make(strategy), small);
    const Spaces backwards(spaces.rbegin(), spaces.rend());
    const std::vector<Answer> reversed = run(model, backwards, strategy, 5);
    for (size_t i = 0; i < spaces.size(); ++i) {
      EXPECT_EQ(text(first[i]), text(threads[i])) << strategy;
      EXPECT_EQ(text(first[i]), text(groups[i])) << strategy;
      EXPECT_EQ(text(first[i]), text(reversed[spaces.size() - 1 - i])) << strategy;
      EXPECT_EQ(text(first[i]), text(run(model, {spaces[i]}, strategy, 5)[0])) << strategy;
    }
  }
  for (const char* strategy : {"sampling", "gumbel"})  // another seed draws something else
    EXPECT_NE(text(run(model, {spaces[0]}, strategy, 5)[0]), text(run(model, {spaces[0]}, strategy, 6)[0]));
}

// Results of instruction sets differ by rounding; the sentences do not.
TEST(Decoder, TheSameWithEveryInstructionSet) {
  const Spaces spaces = test::some_spaces(24);
  const kernels::BlockKernelList list = kernels::runnable_block_kernels();
  const LanguageModel fastest = test::random_model(3);
  for (int k = 0; k < list.count; ++k) {
    const LanguageModel model = test::random_model(3, standard_language(), 512, 32, 2, *list.of[k]);
    for (const char* strategy : kStrategies) {
      const std::vector<Answer> own = run(model, spaces, strategy, 9), other = run(fastest, spaces, strategy, 9);
      double largest = 0;
      for (size_t i = 0; i < spaces.size(); ++i) {
        ASSERT_EQ(own[i].sentences.size(), other[i].sentences.size());
        for (size_t s = 0; s < own[i].sentences.size(); ++s) {
          const Sentence &a = own[i].sentences[s], &b = other[i].sentences[s];
          EXPECT_EQ(space::to_text(a.tokens), space::to_text(b.tokens)) << list.of[k]->name << ", " << strategy;
          largest = std::max(largest, std::abs(a.log_probability - b.log_probability));
        }
      }
      std::printf("%s, %s: log-probabilities differ by %.2g\n", list.of[k]->name, strategy, largest);
      EXPECT_LT(largest, 1e-3);
    }
  }
}

}  // namespace
}  // namespace tlm::lm
