#include "tlm/space/language/vocabulary.h"

#include <gtest/gtest.h>

#include "tlm/core/error.h"
#include "tlm/space/decision.h"

namespace tlm::space {
namespace {

TEST(Vocabulary, WordsAndTokensAreOneToOne) {
  const Vocabulary& v = Vocabulary::standard();
  EXPECT_LT(v.size(), 256);
  for (Token t = 0; t < v.size(); ++t) {
    EXPECT_EQ(v.token(v.word(t)), t);
    EXPECT_EQ(v.word(t).find(' '), std::string::npos);
  }
  EXPECT_EQ(v.find("no such word"), -1);
}

TEST(Vocabulary, EveryKindOfDecisionHasAWord) {
#define X(name, text) EXPECT_GE(Vocabulary::standard().find("@" text), 0);
  TLM_DECISION_KINDS(X)
#undef X
}

TEST(Vocabulary, TextRoundTrips) {
  std::vector<Token> all;
  for (Token t = 0; t < Vocabulary::standard().size(); ++t) all.push_back(t);
  EXPECT_EQ(from_text(to_text(all)), all);
  EXPECT_EQ(from_text("  cpu\n\tfma "), from_text("cpu fma"));
}

TEST(Vocabulary, UnknownWordsAreNamedWithTheirPlace) {
  try {
    from_text("cpu fma warp-drive l1");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(e.what()).find("warp-drive"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("word 3"), std::string::npos);
  }
}

}  // namespace
}  // namespace tlm::space
