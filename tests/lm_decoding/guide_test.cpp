// docs/decoding.md: its example is built here, added to the table and run.
#include <gtest/gtest.h>

#include "tests/lm_decoding/models.h"
#include "tests/lm_decoding/toy_language.h"
#include "tlm/core/file.h"
#include "tlm/lm/decoding/decoder.h"
#include "tlm/lm/decoding/strategies.h"

tlm::lm::StrategyInfo typical_strategy();  // typical_strategy.cpp

namespace tlm::lm {
namespace {

StrategyTable extended() {
  StrategyTable table = standard_strategies();
  table.add(typical_strategy());
  return table;
}

TEST(Guide, ShowsTheExampleAndTheTable) {
  const std::string source = TLM_SOURCE_DIR, guide = read_file(source + "/docs/decoding.md");
  const std::string example = read_file(source + "/tests/lm_decoding/typical_strategy.cpp");
  EXPECT_NE(guide.find("```cpp\n" + example + "```\n"), std::string::npos) << "docs/decoding.md should show typical_strategy.cpp";
  const StrategyTable table = standard_strategies();
  for (const StrategyInfo& s : table.infos()) {
    EXPECT_NE(guide.find("| `" + std::string(s.name) + "` |"), std::string::npos) << s.name << " is not in docs/decoding.md";
    EXPECT_NE(guide.find("| " + std::string(s.parameters) + " |"), std::string::npos) << s.parameters;
  }
}

TEST(Guide, TheExampleWritesSentences) {
  const auto strategy = extended().make("typical:mass=0.5,n=3");
  const auto spaces = test::some_spaces(4);
  const std::vector<Answer> answers = decode(test::random_model(1), spaces, *strategy, {});
  for (size_t i = 0; i < spaces.size(); ++i) {
    ASSERT_EQ(answers[i].sentences.size(), 3u);
    for (const Sentence& s : answers[i].sentences) EXPECT_TRUE(spaces[i]->replay(s.walk.schedule()).ok());
  }
  EXPECT_EQ(extended().make("best-of:inner=typical,mass=0.5,n=2")->width(), 2);
}

// Of probabilities 0.5, 0.3, 0.2 the entropy is 1.03: 0.3 (surprise 1.2) is nearest, then 0.5 (0.69), then 0.2 (1.6).
TEST(Guide, TheExampleIsTypical) {
  std::map<char, int> first;
  for (uint64_t seed = 0; seed < 500; ++seed)
    for (const test::Written& w : test::write(test::three_letters, *extended().make("typical:mass=0.7,n=1"), seed))
      ++first[w.word[0]];
  EXPECT_EQ(first['c'], 0);
  EXPECT_NEAR(first['a'], 500 * 0.5 / 0.8, 50);
  EXPECT_NEAR(first['b'], 500 * 0.3 / 0.8, 50);
}

}  // namespace
}  // namespace tlm::lm
