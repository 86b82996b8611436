#include "tlm/core/error.h"

#include "support.h"
#include "tlm/core/result.h"

namespace tlm {
namespace {

TEST(Error, TextHasOnlyThePartsThatAreThere) {
  EXPECT_STREQ(Error(ErrorCode::kUsage, "what").what(), "what");
  EXPECT_STREQ(Error(ErrorCode::kUsage, "what", "where").what(), "what\n  at: where");
  EXPECT_STREQ(Error(ErrorCode::kUsage, "what", "", "hint").what(), "what\n  try: hint");
  const Error full(ErrorCode::kBadModel, "what", "where", "hint");
  EXPECT_STREQ(full.what(), "what\n  at: where\n  try: hint");
  EXPECT_EQ(full.code(), ErrorCode::kBadModel);
  EXPECT_EQ(full.message(), "what");
  EXPECT_EQ(full.where(), "where");
  EXPECT_EQ(full.hint(), "hint");
}

TEST(Check, ThrowsInternalErrorWithPlaceAndValues) {
  const int i = 7;
  try {
    TLM_CHECK(i < 5) << "i=" << i;
    FAIL() << "no exception";
  } catch (const InternalError& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInternal);
    EXPECT_EQ(e.message(), "check failed: i < 5: i=7");
    EXPECT_NE(e.where().find("error_test.cpp:" + std::to_string(__LINE__ - 5)), std::string::npos) << e.where();
  }
}

TEST(Check, WithoutValues) {
  test::expect_error(ErrorCode::kInternal, "check failed: false\n", [] { TLM_CHECK(false); });
}

TEST(Check, EvaluatesTheMessageOnlyOnFailureAndBindsInAnElse) {
  int evaluated = 0;
  const auto count = [&evaluated] { return ++evaluated; };
  if (evaluated == 0)
    TLM_CHECK(true) << count();
  else
    FAIL() << "the else belongs to the outer if";
  EXPECT_EQ(evaluated, 0);
}

TEST(Result, HoldsAValueOrAReason) {
  const Result<int> good = 3;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 3);
  const Result<int> bad = Reason{"too small"};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.reason(), "too small");
  test::expect_error(ErrorCode::kInternal, "too small", [&] { return *bad; });
}

}  // namespace
}  // namespace tlm
