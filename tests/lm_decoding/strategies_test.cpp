// Strategies on a language whose words can be listed: distributions, orders, refusals.
#include "tlm/lm/decoding/strategies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/lm_decoding/toy_language.h"
#include "tlm/core/error.h"
#include "tlm/lm/decoding/token_filter.h"

namespace tlm::lm {
namespace {

using test::Written;

constexpr int kDraws = 20000;
constexpr double kDeviation = 0.015;  // four standard deviations of a frequency of one half

std::unique_ptr<Strategy> make(const std::string& text, int sentences = 0) { return standard_strategies().make(text, sentences); }

std::vector<std::string> words_of(const std::vector<Written>& written) {
  std::vector<std::string> words;
  for (const Written& w : written) words.push_back(w.word);
  return words;
}

Hypothesis hypothesis(const std::vector<space::Token>& allowed, const std::vector<double>& log_probabilities) {
  return {allowed, log_probabilities};
}

TEST(Greedy, TakesTheMostProbableAndOfNearOnesTheLowest) {
  const std::vector<space::Token> allowed = {3, 5, 9};
  const auto choice = [&](std::vector<double> p) {
    const Hypothesis h = hypothesis(allowed, p);
    return make("greedy")->next({}, {&h, 1}).at(0).choice;
  };
  EXPECT_EQ(choice({-2, -0.5, -1}), 1);
  EXPECT_EQ(choice({-0.5005, -0.5, -1}), 0);
  EXPECT_EQ(choice({-0.502, -0.5, -0.4995}), 1);
  EXPECT_EQ(choice({-0.502, -0.5, -0.498}), 2);
  EXPECT_EQ(words_of(test::write(test::three_letters, *make("greedy"), 0)), (std::vector<std::string>{"aba"}));
}

TEST(TokenFilter, Cases) {
  const std::vector<double> p = {0.1, 0.4, 0.2, 0.3};
  const auto filtered = [&](const std::string& text) {
    Parameters parameters(text);
    std::vector<double> log_p;
    for (const double v : p) log_p.push_back(std::log(v));
    std::vector<double> out = TokenFilter::from(parameters)(log_p);
    for (double& v : out) v = std::exp(v);
    return out;
  };
  const auto expect = [&](const std::string& text, const std::vector<double>& wanted) {
    const std::vector<double> got = filtered(text);
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12) << text << ", token " << i;
  };
  expect("", p);
  expect("top-k=1", {0, 1, 0, 0});
  expect("top-k=2", {0, 4. / 7, 0, 3. / 7});
  expect("top-k=9", p);
  expect("top-p=0.4", {0, 1, 0, 0});
  expect("top-p=0.41", {0, 4. / 7, 0, 3. / 7});
  expect("top-p=0", {0, 1, 0, 0});
  expect("min-p=0.5", {0, 4. / 9, 2. / 9, 3. / 9});
  expect("min-p=1", {0, 1, 0, 0});
  expect("temperature=0.5", {1. / 30, 16. / 30, 4. / 30, 9. / 30});
  expect("temperature=0.5,top-k=3,min-p=0.5", {0, 16. / 25, 0, 9. / 25});
  expect("top-k=3,top-p=0.75", {0, 4. / 7, 0, 3. / 7});  // p is of the 0.9 that top-k left
}

TEST(Sampling, FollowsTheDistribution) {
  std::map<std::string, double> seen;
  const auto strategy = make("sampling:n=4");
  for (int seed = 0; seed < kDraws / 4; ++seed)
    for (const Written& w : test::write(test::three_letters, *strategy, static_cast<uint64_t>(seed))) seen[w.word] += 1. / kDraws;
  for (const auto& [word, p] : test::all_words(test::three_letters)) EXPECT_NEAR(seen[word], p, kDeviation) << word;
}

TEST(Sampling, DrawsDependOnSeedWorkloadBranchAndStepAlone) {
  const auto one = make("sampling:n=1"), many = make("sampling:n=30");
  const auto a = words_of(test::write(test::three_letters, *many, 7)), b = words_of(test::write(test::three_letters, *many, 7));
  EXPECT_EQ(a, b);
  EXPECT_EQ(words_of(test::write(test::three_letters, *one, 7)).at(0), a.at(0))
      << "the first branch is the same, however many follow";
  EXPECT_NE(a, words_of(test::write(test::three_letters, *many, 8)));
  EXPECT_NE(a, words_of(test::write(test::three_letters, *many, 7, 2)));
  EXPECT_GT(std::set<std::string>(a.begin(), a.end()).size(), 3u);
}

TEST(Beam, OrdersAllWordsAndKeepsTheBest) {
  std::vector<std::pair<double, std::string>> all;
  for (const auto& [word, p] : test::all_words(test::three_letters)) all.emplace_back(-p, word);
  std::sort(all.begin(), all.end());
  const std::vector<std::string> words = words_of(test::write(test::three_letters, *make("beam:n=50"), 0));
  ASSERT_EQ(words.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(words[i], all[i].second);
  // A finished word, c (0.2), stays until better ones are there.
  EXPECT_EQ(words_of(test::write(test::three_letters, *make("beam:n=2"), 0)), (std::vector<std::string>{"aba", "abb"}));
  EXPECT_EQ(words_of(test::write(test::three_letters, *make("beam:n=3"), 0)), (std::vector<std::string>{"aba", "c", "abb"}));
  EXPECT_EQ(words_of(test::write(test::three_letters, *make("beam:n=1"), 0)), (std::vector<std::string>{"aba"}));
}

// b is as probable as a but for rounding, and so are aa and ba, ab and bb: whichever way it rounds, the same order.
TEST(Beam, RoundingDoesNotDecide) {
  const auto toy = [](double rounding) {
    return [rounding](const std::string& prefix) -> std::vector<double> {
      if (prefix == "") return {0.4 - rounding, 0.4 + rounding, 0.2};
      if (prefix == "a" || prefix == "b") return {0.5 + rounding, 0.5 - rounding};
      return {};
    };
  };
  for (const double rounding : {-1e-5, 0.0, 1e-5}) {
    const auto words = [&](const std::string& strategy) { return words_of(test::write(toy(rounding), *make(strategy), 0)); };
    EXPECT_EQ(words("beam:n=1"), words("greedy")) << rounding;
    EXPECT_EQ(words("beam:n=1"), (std::vector<std::string>{"aa"})) << rounding;
    EXPECT_EQ(words("beam:n=3"), (std::vector<std::string>{"aa", "ab", "ba"})) << rounding;
    EXPECT_EQ(words("beam:n=9"), (std::vector<std::string>{"aa", "ab", "ba", "bb", "c"})) << rounding;
  }
}

TEST(Gumbel, DrawsDifferentWords) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<std::string> words = words_of(test::write(test::three_letters, *make("gumbel:n=4"), seed));
    EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), 4u);
    EXPECT_EQ(test::write(test::three_letters, *make("gumbel:n=50"), seed).size(), test::all_words(test::three_letters).size());
  }
}

// Drawn one after the other without replacement: the first follows the distribution, the second what is left of it.
TEST(Gumbel, FollowsTheDistributionWithoutReplacement) {
  std::map<std::string, double> first, pairs;
  const auto strategy = make("gumbel:n=2");
  for (int seed = 0; seed < kDraws; ++seed) {
    const std::vector<Written> w = test::write(test::three_letters, *strategy, static_cast<uint64_t>(seed));
    ASSERT_EQ(w.size(), 2u);
    EXPECT_GE(w[0].score, w[1].score);
    first[w[0].word] += 1. / kDraws;
    pairs[w[0].word + " " + w[1].word] += 1. / kDraws;
  }
  const auto all = test::all_words(test::three_letters);
  double largest = 0;
  for (const auto& [a, p] : all) {
    EXPECT_NEAR(first[a], p, kDeviation) << a;
    for (const auto& [b, q] : all) {
      if (a == b) continue;
      largest = std::max(largest, std::abs(pairs[a + " " + b] - p * q / (1 - p)));
    }
  }
  std::printf("frequencies of pairs differ by %.4f at most\n", largest);
  EXPECT_LT(largest, kDeviation);
}

TEST(Gumbel, FiltersWhatItDraws) {
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const Written& w : test::write(test::three_letters, *make("gumbel:n=9,top-k=1"), seed)) EXPECT_EQ(w.word, "aba");
}

TEST(Strategies, WantedSentencesAreTheDefaultOfN) {
  EXPECT_EQ(make("sampling")->width(), 10);
  EXPECT_EQ(make("sampling", 3)->width(), 3);
  EXPECT_EQ(make("sampling:n=7", 3)->width(), 7);
  EXPECT_EQ(make("best-of:inner=beam", 3)->width(), 3);
  EXPECT_EQ(make("best-of:n=5")->width(), 5);
  EXPECT_TRUE(make("best-of")->measures());
  EXPECT_FALSE(make("greedy", 3)->measures());
}

TEST(Strategies, Refusals) {
  struct Case {
    const char *text, *message, *hint;
  };
  const Case cases[] = {
      {"", "no decoding strategy is called ''", "choose one of: greedy, sampling, beam, gumbel, best-of"},
      {"Greedy", "no decoding strategy is called 'Greedy'", "choose one of: greedy, sampling, beam, gumbel, best-of"},
      {"greedy:n=2", "the strategy has no parameter 'n'", "it has none"},
      {"beam:width=2", "the strategy has no parameter 'width'", "it has: n"},
      {"sampling:n", "'n' is no parameter of a decoding strategy", "write NAME=VALUE, separated by commas"},
      {"sampling:n=2,n=3", "parameter 'n' is given twice", ""},
      {"sampling:n=0", "n is '0'", "a whole number from 1 to 4096"},
      {"sampling:n=2x", "n is '2x'", "a whole number from 1 to 4096"},
      {"sampling:temperature=0", "temperature is '0'", "a number from 0.01 to 100"},
      {"sampling:temperature=nan", "temperature is 'nan'", "a number from 0.01 to 100"},
      {"sampling:top-p=1.5", "top-p is '1.5'", "a number from 0 to 1"},
      {"gumbel:min-p=-1", "min-p is '-1'", "a number from 0 to 1"},
      {"best-of:inner=magic", "no decoding strategy is called 'magic'", "choose one of: greedy, sampling, beam, gumbel, best-of"},
      {"best-of:inner=beam,temperature=2", "the strategy has no parameter 'temperature'", "it has: n"},
  };
  for (const Case& c : cases) {
    try {
      make(c.text);
      ADD_FAILURE() << c.text << " is accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage);
      EXPECT_EQ(e.message(), c.message) << c.text;
      EXPECT_EQ(e.hint(), c.hint) << c.text;
    }
  }
}

}  // namespace
}  // namespace tlm::lm
