#include "tlm/core/log.h"

#include <vector>

#include "support.h"

namespace tlm {
namespace {

TEST(Log, PassesWhatIsAtOrAboveItsLevel) {
  std::vector<std::string> seen;
  const LogSink sink = [&seen](LogLevel level, std::string_view message) {
    seen.push_back(std::string(log_level_name(level)) + " " + std::string(message));
  };
  const Log log(sink, LogLevel::kInfo);
  log.debug("a");
  log.info("b");
  log.warning("c");
  log.error("d");
  EXPECT_EQ(seen, (std::vector<std::string>{"info b", "warning c", "error d"}));
}

TEST(Log, OffAndNoSinkAreSilent) {
  int calls = 0;
  const Log off([&calls](LogLevel, std::string_view) { ++calls; }, LogLevel::kOff);
  off.error("x");
  off.write(LogLevel::kOff, "x");
  Log(nullptr).error("x");
  EXPECT_EQ(calls, 0);
}

TEST(Log, DefaultSinkWritesLinesToStderr) {
  testing::internal::CaptureStderr();
  Log().warning("low on disk");
  Log().info("not shown");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tlm: warning: low on disk\n");
}

}  // namespace
}  // namespace tlm
