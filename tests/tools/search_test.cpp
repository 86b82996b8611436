// `tlm compile --scheduler search`: reports, records, resuming, interrupts.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sandbox.h"
#include "tlm/space/records/record_store.h"

namespace fs = std::filesystem;

namespace tlm::tools::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> search(const std::string& options) {
  return words("compile tiny_cnn.onnx -o a.tlm --scheduler search --records r.db " + options);
}

TEST(Search, MeasuresRecordsAndReports) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  const Outcome first = s.tlm(search("--trials 2 --report r.json --emit-schedules s.txt"));
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find("schedules measured in"), std::string::npos) << first.err;
  const Json r = Json::parse(s.read("r.json"));
  EXPECT_EQ(r["scheduler"], "search");
  const int measured = r["search"]["measured"];
  EXPECT_GT(measured, 9);
  EXPECT_LE(measured, 18);
  EXPECT_GT(r["search"]["seconds"].get<double>(), 0);
  EXPECT_GT(r["search"]["network_ms"].get<double>(), 0);
  EXPECT_GT(r["search"]["constructive_ms"].get<double>(), 0);
  EXPECT_LT(r["max_error"].get<double>(), 1e-4);
  int trials = 0;
  for (const Json& d : r["details"]) {
    EXPECT_GT(d["ratio"].get<double>(), 0);
    EXPECT_LE(d["trials"].get<int>(), 2);
    trials += d["trials"].get<int>();
  }
  EXPECT_EQ(trials, measured);

  // All trials are in the records: nothing is measured, the package is the same.
  const std::string package = s.read("a.tlm"), schedules = s.read("s.txt");
  const Outcome second = s.tlm(search("--trials 2 --report r.json --emit-schedules s.txt"));
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_NE(second.err.find("search: 0 schedules measured"), std::string::npos) << second.err;
  EXPECT_EQ(s.read("a.tlm"), package);
  EXPECT_EQ(s.read("s.txt"), schedules);
  EXPECT_EQ(Json::parse(s.read("r.json"))["search"]["measured"].get<int>(), 0);

  // More of them: it goes on from there.
  const Outcome third = s.tlm(search("--trials 3 --report r.json"));
  ASSERT_EQ(third.code, 0) << third.err;
  const int more = Json::parse(s.read("r.json"))["search"]["measured"];
  EXPECT_GE(more, 1);
  EXPECT_LE(more, 9);
}

TEST(Search, WithoutRecordsNothingStays) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  const Outcome r = s.tlm(words("compile tiny_mlp.onnx -o a.tlm --scheduler search --trials 2 --no-cache"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(s.files().size(), 2u);
}

TEST(Search, GivenSchedulesAreNotSearched) {
  const Sandbox s;
  ASSERT_EQ(s.tlm({"compile", s.zoo("tiny_mlp"), "-o", "a.tlm", "--emit-schedules", "s.txt"}).code, 0);
  const Outcome r =
      s.tlm(words("compile tiny_mlp.onnx -o b.tlm --scheduler search --trials 2 --schedules s.txt --report r.json"));
  ASSERT_EQ(r.code, 0) << r.err;
  const Json report = Json::parse(s.read("r.json"));
  EXPECT_EQ(report["search"]["measured"].get<int>(), 0);
  EXPECT_TRUE(report["details"][0]["ratio"].is_null());
  EXPECT_EQ(s.read("a.tlm"), s.read("b.tlm"));
}

TEST(Search, Refusals) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  s.write("damaged.db", "garbage, more than a header of SQLite could be");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --records r.db"), 2, "--records wants --scheduler search");
  s.refuses(words("compile tiny_mlp.onnx -o r.db --scheduler search --records r.db"), 2, "--records name the same file");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --scheduler search --records tiny_mlp.onnx"), 2, "would overwrite an input");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --scheduler search --trials 0"), 2, "--trials");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --scheduler search --records damaged.db"), 3, "damaged.db");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --scheduler search --records none/r.db"), 5, "none");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --scheduler search --target sm_80"), 4, "");
}

// Batches in the file, each of them whole: as many rows of a batch as others of its size would have.
int64_t records_in(const Sandbox& s) {
  if (!s.exists("r.db")) return 0;
  return space::RecordStore(s.path("r.db"), space::StoreAccess::kRead).size();
}

// Interrupted again and again, the search ends all the same, and what was measured is never lost.
TEST(Search, InterruptsAreResumed) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  int interrupted = 0;
  int64_t records = 0;
  for (int run = 0; run < 12; ++run) {
    const Outcome r = s.shell(
        "$TLM compile tiny_cnn.onnx -o a.tlm --scheduler search --trials 8 --records r.db 2>err & pid=$!\n"
        "while [ ! -s r.db ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done; sleep 0." +
        std::to_string(run % 10) + "; kill -INT $pid 2>/dev/null; wait $pid");
    EXPECT_TRUE(fs::is_empty(s.temp()));
    const int64_t now = records_in(s);
    EXPECT_GE(now, records);
    records = now;
    if (r.code == 0) break;
    ++interrupted;
    EXPECT_EQ(r.code, 130) << s.read("err");
    EXPECT_NE(s.read("err").find("tlm: interrupted"), std::string::npos);
    EXPECT_FALSE(s.exists("a.tlm"));
  }
  EXPECT_GT(interrupted, 0);
  const Outcome last =
      s.tlm(words("compile tiny_cnn.onnx -o a.tlm --scheduler search --trials 8 --records r.db --report r.json"));
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_GT(records_in(s), 0);
  for (const Json& d : Json::parse(s.read("r.json"))["details"]) EXPECT_LE(d["trials"].get<int>(), 8);
}

}  // namespace
}  // namespace tlm::tools::test
