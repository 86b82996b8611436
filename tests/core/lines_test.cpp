#include "tlm/core/lines.h"

#include <gtest/gtest.h>

namespace tlm {
namespace {

std::string visited(std::string_view text) {
  std::string out;
  for_each_line(text, "f", [&](const std::string& line, const std::string& where) { out += where + "=" + line + ";"; });
  return out;
}

TEST(Lines, NumbersCountBlankLinesToo) {
  EXPECT_EQ(visited(""), "");
  EXPECT_EQ(visited("a"), "f:1=a;");
  EXPECT_EQ(visited("a\n"), "f:1=a;");
  EXPECT_EQ(visited("a\n\n \t\r\nb c\n"), "f:1=a;f:4=b c;");
  EXPECT_EQ(visited("\na\r\nb"), "f:2=a\r;f:3=b;");
}

}  // namespace
}  // namespace tlm
