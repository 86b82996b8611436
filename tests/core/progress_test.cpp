#include "tlm/core/progress.h"

#include <memory>

#include "support.h"

namespace tlm {
namespace {

TEST(Progress, Durations) {
  const std::pair<double, const char*> cases[] = {
      {-1, "0.0 s"},  {0.04, "0.0 s"},      {0.06, "0.1 s"},     {9.94, "9.9 s"},        {9.96, "10 s"},
      {59.4, "59 s"}, {59.6, "1 min 00 s"}, {185, "3 min 05 s"}, {3599.6, "1 h 00 min"}, {7620, "2 h 07 min"},
  };
  for (const auto& [seconds, text] : cases) EXPECT_EQ(duration_text(seconds), text) << seconds;
  EXPECT_EQ(duration_text(0.0 / 0.0), "0.0 s");
}

TEST(Progress, Lines) {
  EXPECT_EQ(progress_line("compile", 0, 20, 0, "", 100), "compile [--------------------]   0% 0/20, 0.0 s");
  EXPECT_EQ(progress_line("compile", 10, 20, 3, "conv1", 100),
            "compile [##########----------]  50% 10/20, 3.0 s, 3.0 s left: conv1");
  EXPECT_EQ(progress_line("compile", 20, 20, 61, "", 100), "compile [####################] 100% 20/20, 1 min 01 s");
  EXPECT_EQ(progress_line("read", 7, 0, 2, "", 100), "read 7, 2.0 s");
  EXPECT_EQ(progress_line("compile", 10, 20, 3, "conv1", 12), "compile [###");
  EXPECT_EQ(progress_line("compile", 30, 20, 3, "", 100), "compile [####################] 100% 30/20, 3.0 s");
}

std::string shown(bool terminal) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  {
    ConsoleProgress progress(out, terminal, 79);
    ProgressTask task(progress, "work", 3);
    for (int i = 0; i < 3; ++i) task.advance(1, "item");
  }
  std::fclose(out);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
  return {text, size};
}

TEST(Progress, PlainLinesWithoutATerminal) {
  const std::string text = shown(false);
  EXPECT_TRUE(text.starts_with("work [--------------------]   0% 0/3, 0.0 s\n")) << text;
  EXPECT_TRUE(text.ends_with("100% 3/3, 0.0 s\n")) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, OneRedrawnLineOnATerminal) {
  const std::string text = shown(true);
  EXPECT_TRUE(text.starts_with("\r\033[Kwork [")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_TRUE(text.ends_with("100% 3/3, 0.0 s\n")) << text;
}

TEST(Progress, NoProgressShowsNothing) {
  testing::internal::CaptureStderr();
  {
    ProgressTask task(no_progress(), "work", 1);
    task.advance();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tlm
