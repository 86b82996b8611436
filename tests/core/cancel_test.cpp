#include "tlm/core/cancel.h"

#include "support.h"

namespace tlm {
namespace {

TEST(CancelToken, CopiesShareTheFlag) {
  const CancelToken token, other;
  const CancelToken copy = token;
  EXPECT_NO_THROW(copy.check());
  token.cancel();
  EXPECT_TRUE(copy.cancelled());
  EXPECT_FALSE(other.cancelled());
  test::expect_error(ErrorCode::kInterrupted, "interrupted", [&] { copy.check(); });
}

}  // namespace
}  // namespace tlm
