// `tlm eval`: reference and race from the command line, on two small workloads of the committed list.
#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> eval(const std::string& options) {
  std::vector<std::string> all = words("eval --only avgpool --only scores --data");
  all.push_back(TLM_SOURCE_DIR "/lm/data");
  for (const std::string& w : words(options)) all.push_back(w);
  return all;
}

TEST(Eval, ReferenceThenRace) {
  const Sandbox s;
  const Outcome reference = s.tlm(eval("--reference --records r.db --trials 12 -o r.jsonl"));
  ASSERT_EQ(reference.code, 0) << reference.err;
  EXPECT_NE(reference.err.find("2 of 2 references are complete"), std::string::npos) << reference.err;
  const std::string lines = s.read("r.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  const Outcome again = s.tlm(eval("--reference --records r.db --trials 12 -o r.jsonl"));
  EXPECT_NE(again.err.find("0 schedules measured"), std::string::npos) << again.err;
  EXPECT_EQ(s.read("r.jsonl"), lines);

  // Anew for a part of the list: the other lines stay.
  s.shell("cp r.jsonl r2.jsonl");
  const std::string data = TLM_SOURCE_DIR "/lm/data";
  ASSERT_EQ(s.tlm(words("eval --only avgpool --reference --records other.db --trials 4 -o r2.jsonl --data " + data)).code, 0);
  const std::string mixed = s.read("r2.jsonl");
  EXPECT_NE(mixed, lines);
  EXPECT_EQ(std::count(mixed.begin(), mixed.end(), '\n'), 2);

  const std::string options = "--race --model none --training none --k 3 --against r.jsonl -o race";
  const Outcome race = s.tlm(eval(options));
  ASSERT_EQ(race.code, 0) << race.err;
  EXPECT_NE(race.out.find("2 workloads; reference: search-12."), std::string::npos) << race.out;
  EXPECT_EQ(race.out, s.read("race/table.md"));
  const Json summary = Json::parse(s.read("race/summary.json"));
  ASSERT_EQ(summary["contenders"].size(), 5u);  // constructive, random, both with k = 3, the reference
  for (const Json& c : summary["contenders"]) {
    EXPECT_EQ(c["workloads"], 2);
    EXPECT_EQ(c["failures"], 0);
    EXPECT_GT(c["ratio"]["mean"].get<double>(), 0);
  }
  EXPECT_EQ(summary["contenders"][4]["ratio"]["mean"], 1);
  const std::string rows = s.read("race/rows.jsonl");
  EXPECT_EQ(s.tlm(eval(options)).out, race.out);
  EXPECT_EQ(s.read("race/rows.jsonl"), rows);
}

TEST(Eval, EndsInTimeAndGoesOn) {
  const Sandbox s;
  Outcome o;
  int runs = 0;
  do {
    o = s.tlm(eval("--reference --records r.db --trials 24 --time 1 -o r.jsonl"));
    ASSERT_EQ(o.code, 0) << o.err;
  } while (o.err.find("the time was over") != std::string::npos && ++runs < 40);
  EXPECT_NE(o.err.find("2 of 2 references are complete"), std::string::npos) << o.err;
}

TEST(Eval, Refuses) {
  const Sandbox s;
  s.refuses(eval("-o x"), 2, "give either --reference or --race");
  s.refuses(eval("--reference -o x"), 2, "--reference needs --records FILE");
  s.refuses(eval("--reference --records r.db --only nothing -o x"), 2, "no workload of the list is called 'nothing'");
  s.refuses(eval("--race --model none --variant abacus -o x"), 2, "no variant 'abacus'");
  s.refuses(eval("--race --model none --variant training -o x"), 2, "'training' is no single variant");
  s.refuses(eval("--race --split train -o x"), 2, "--split");
  s.refuses(eval("--race --against none -o x"), 2, "the default weights are not there");
  s.refuses(words("eval --race --model none -o x"), 2, "the lists of workloads are not there");
}

}  // namespace
}  // namespace tlm::tools::test
