#include "tlm/space/records/record_json.h"

#include <gtest/gtest.h>

#include "samples.h"
#include "tlm/core/error.h"

namespace tlm::space::test {
namespace {

TEST(RecordJson, RoundTripKeepsEveryBit) {
  for (Record r : made_up_records("b", 3)) {
    r.reason = "line\nend, \"quotes\" and \xE2\x82\xAC";
    const std::string line = record_line(r);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Record back = parse_record_line(line, "here");
    EXPECT_EQ(record_line(back), line);
    EXPECT_EQ(back.samples_ms, r.samples_ms);
    EXPECT_EQ(back.seed, r.seed);
    EXPECT_EQ(back.source_hash, r.source_hash);
    EXPECT_EQ(back.after.gflops, r.after.gflops);
    EXPECT_EQ(back.reason, r.reason);
    EXPECT_EQ(back.workload, r.workload);
  }
}

std::string replaced(std::string line, const std::string& from, const std::string& to) {
  const size_t at = line.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return line.replace(at, from.size(), to);
}

TEST(RecordJson, BadLinesAreRefused) {
  const std::string good = record_line(made_up_records("b", 1).at(0));
  const struct {
    std::string line, reason;
  } cases[] = {
      {"", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {good.substr(0, good.size() / 2), "not a JSON object"},
      {replaced(good, "\"threads\":2", "\"threads\":\"2\""), "threads must be a whole number"},
      {replaced(good, "\"threads\":2", "\"threads\":-2"), "threads must be a whole number"},
      {replaced(good, "\"threads\":2,", ""), "threads is missing"},
      {replaced(good, "\"threads\":2", "\"threads\":2,\"extra\":1"), "unknown key 'extra'"},
      {replaced(good, "\"status\":\"ok\"", "\"status\":\"fine\""), "no status is called 'fine'"},
      {replaced(good, "\"unsteady\":true", "\"unsteady\":1"), "unsteady must be true or false"},
      {replaced(good, "\"ratio\":1.0", "\"ratio\":null"), "ratio must hold numbers"},
      {replaced(good, "\"batch\":\"b\"", "\"batch\":\"\""), "batch must not be empty"},
      {replaced(good, "\"workload_hash\":\"", "\"workload_hash\":\"z"), "workload_hash must be 16 hexadecimal digits"},
      {replaced(good, "m:8", "m:4"), "workload_hash does not belong to the workload"},
      {replaced(good, "subgraph", "subgroup"), "bad record"},
      {replaced(good, "made-up0", "made-up1"), "schedule_hash does not belong"},
      {replaced(good, "\\\"l2_kb\\\": ", "\\\"l2_kb\\\": 1"), "target_hash does not belong"},
  };
  for (const auto& c : cases) {
    try {
      parse_record_line(c.line, "file:7");
      ADD_FAILURE() << "accepted: " << c.line;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadModel) << c.reason;
      EXPECT_NE(e.message().find(c.reason), std::string::npos) << e.message() << " instead of " << c.reason;
      EXPECT_EQ(e.where(), "file:7");
    }
  }
}

}  // namespace
}  // namespace tlm::space::test
