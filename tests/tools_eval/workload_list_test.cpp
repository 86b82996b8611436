#include "tlm/tools/eval/workload_list.h"

#include <gtest/gtest.h>

#include "fake_measurer.h"
#include "tlm/core/error.h"

namespace tlm::eval::test {
namespace {

TEST(WorkloadList, LinesAreReadBack) {
  std::string text;
  for (const EvalWorkload& w : small_list()) text += workload_line(w) + "\n";
  const std::vector<EvalWorkload> list = parse_workload_list(text + "\n", "list");
  ASSERT_EQ(list.size(), 3u);
  for (size_t i = 0; i < list.size(); ++i) {
    const EvalWorkload w = small_list()[i];
    EXPECT_EQ(list[i].name, w.name);
    EXPECT_EQ(list[i].kind, w.kind);
    EXPECT_EQ(list[i].set, w.set);
    EXPECT_EQ(list[i].hash, w.hash);
    EXPECT_EQ(space_of(list[i], machine())->target().cores, w.cores);
  }
}

TEST(WorkloadList, SaysWhatIsWrongAndWhere) {
  const std::string good = workload_line(small_list()[0]);
  const struct {
    std::string text, message;
  } cases[] = {
      {"nonsense", "no JSON object"},
      {"{\"name\": 3}", "'name' is missing"},
      {"{\"name\":\"a\",\"kind\":\"b\",\"set\":\"c\"}", "'cores' is missing"},
      {"{\"name\":\"a\",\"kind\":\"b\",\"set\":\"c\",\"cores\":0,\"subgraph\":\"\"}", "'cores' is 0"},
      {"{\"name\":\"a\",\"kind\":\"b\",\"set\":\"c\",\"cores\":1,\"subgraph\":\"x\"}", "'subgraph': "},
      {good, "'conv' occurs twice"},
  };
  for (const auto& c : cases) {
    try {
      parse_workload_list(good + "\n" + c.text + "\n", "list");
      ADD_FAILURE() << c.text;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadModel);
      EXPECT_NE(e.message().find(c.message), std::string::npos) << e.message();
      EXPECT_EQ(e.where(), "list:2");
    }
  }
}

}  // namespace
}  // namespace tlm::eval::test
