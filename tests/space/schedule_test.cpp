#include <gtest/gtest.h>

#include "tlm/core/error.h"
#include "tlm/space/schedule.h"

namespace tlm::space {
namespace {

TEST(Schedule, PrintsAndParses) {
  Schedule s;
  s.choices = {{"attach.s1", "epilogue"}, {"micro.s0", "co:2x8 ow:6"}, {"tile.s0.ow", "none"}};
  EXPECT_EQ(print(s), "attach.s1=epilogue; micro.s0=co:2x8 ow:6; tile.s0.ow=none");
  EXPECT_EQ(parse_schedule(print(s)), s);
  EXPECT_EQ(parse_schedule(" attach.s1 = epilogue ;\n micro.s0=co:2x8 ow:6;tile.s0.ow=none; "), s);
  EXPECT_EQ(parse_schedule(""), Schedule());
  EXPECT_EQ(*s.find("micro.s0"), "co:2x8 ow:6");
  EXPECT_EQ(s.find("micro.s1"), nullptr);
}

TEST(Schedule, HashSeesNamesAndChoices) {
  const uint64_t h = hash(parse_schedule("a=1; b=2"));
  EXPECT_EQ(h, hash(parse_schedule("a=1;b=2")));
  EXPECT_NE(h, hash(parse_schedule("a=1; b=3")));
  EXPECT_NE(h, hash(parse_schedule("a=1; c=2")));
  EXPECT_NE(hash(parse_schedule("ab=c")), hash(parse_schedule("a=bc")));
}

TEST(Schedule, RejectsBadText) {
  for (auto [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"micro.s0", "'micro.s0'"}, {"a=1; =2", "'=2'"}, {"a=1; b=", "'b='"}, {"a=1; a=2", "'a' is given twice"}}) {
    try {
      parse_schedule(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage);
      EXPECT_NE(e.message().find(message), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace tlm::space
