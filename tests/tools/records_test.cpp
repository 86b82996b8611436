// `tlm records`, and what `tlm compile --measure` puts into them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

using Json = nlohmann::json;

// tiny_mlp and r.db with three measured proposals of each of its workloads: the anchor among them, whatever weights are built in.
void measure(const Sandbox& s) {
  const Outcome r = s.tlm({"compile", s.zoo("tiny_mlp"), "-o", "a.tlm", "--scheduler", "constructive", "--measure", "3",
                           "--records", "r.db", "--report", "report.json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("schedules measured in"), std::string::npos) << r.err;
}

int lines(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

TEST(Records, OfMeasuredProposals) {
  const Sandbox s;
  measure(s);
  const Json report = Json::parse(s.read("report.json"));
  const int measured = report["search"]["measured"];
  EXPECT_GT(measured, 3);
  EXPECT_LE(measured, 9);
  for (const Json& d : report["details"]) EXPECT_GT(d["ratio"].get<double>(), 0);

  const Outcome list = s.tlm(words("records list r.db"));
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find(report["details"][0]["hash"].get<std::string>()), std::string::npos) << list.out;
  EXPECT_NE(list.out.find(std::to_string(measured) + " records of 3 workloads and targets"), std::string::npos) << list.out;

  // Random draws come with their anchor.
  const Outcome random =
      s.tlm(words("compile tiny_mlp.onnx -o b.tlm --scheduler random --seed 3 --measure 2 --records random.db"));
  ASSERT_EQ(random.code, 0) << random.err;
  // Three spaces, each with the random schedules that were drawn for it.
  const Outcome spaces = s.tlm(words("records spaces random.db"));
  EXPECT_EQ(spaces.code, 0) << spaces.err;
  EXPECT_EQ(lines(spaces.out), 5) << spaces.out;  // two of them the header's
  EXPECT_NE(spaces.out.find("% within 2x"), std::string::npos) << spaces.out;
  const std::string exported = s.tlm(words("records export random.db")).out;
  int constructive = 0, drawn = 0;
  for (size_t begin = 0; begin < exported.size(); begin = exported.find('\n', begin) + 1) {
    const Json j = Json::parse(exported.substr(begin, exported.find('\n', begin) - begin));
    constructive += j["origin"] == "constructive";
    drawn += j["origin"] == "random" && j["seed"] == 3;
  }
  EXPECT_EQ(constructive, 3);
  EXPECT_GT(drawn, 3);
}

TEST(Records, BestSchedulesCompile) {
  const Sandbox s;
  measure(s);
  ASSERT_EQ(s.tlm(words("records best r.db -o best.txt")).code, 0);
  EXPECT_EQ(s.tlm(words("records best r.db")).out, s.read("best.txt"));
  const Outcome r = s.tlm(words("compile tiny_mlp.onnx -o b.tlm --schedules best.txt"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err.find("fit no workload"), std::string::npos) << r.err;
  // What won is what is best in the records: nothing else was measured.
  EXPECT_EQ(s.read("a.tlm"), s.read("b.tlm"));

  const std::string three = s.tlm(words("records best r.db --top 3")).out;
  EXPECT_GT(lines(three), lines(s.read("best.txt")));
  s.write("three.txt", three);
  EXPECT_EQ(s.tlm(words("compile tiny_mlp.onnx -o c.tlm --schedules three.txt")).code, 0);
  EXPECT_EQ(s.read("a.tlm"), s.read("c.tlm"));

  s.refuses(words("records best r.db --target sm_80"), 2,
            "no schedule for this target\n  at: r.db\n  try: see `tlm records list`; ");
  s.refuses(words("records best r.db --workload 0123456789abcdef"), 2, "no schedule of this workload");
  s.refuses(words("records best r.db -o r.db"), 2, "would overwrite an input");
}

TEST(Records, ExportAndImport) {
  const Sandbox s;
  measure(s);
  ASSERT_EQ(s.tlm(words("records export r.db -o a.jsonl")).code, 0);
  const std::string exported = s.read("a.jsonl");
  EXPECT_EQ(s.tlm(words("records export r.db")).out, exported);
  Outcome r = s.tlm(words("records import copy.db a.jsonl"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find(std::to_string(lines(exported)) + " records read, " + std::to_string(lines(exported)) + " of them new"),
            std::string::npos)
      << r.err;
  EXPECT_EQ(s.tlm(words("records export copy.db")).out, exported);
  r = s.tlm(words("records import copy.db a.jsonl"));
  EXPECT_NE(r.err.find(" 0 of them new"), std::string::npos) << r.err;
  EXPECT_EQ(s.shell("$TLM records export r.db | $TLM records import piped.db").code, 0);
  EXPECT_EQ(s.tlm(words("records export piped.db")).out, exported);

  s.write("bad.jsonl", exported + "\n{\"workload\": 3}\n");
  s.refuses(words("records import copy.db bad.jsonl"), 3,
            "bad record: workload must be a string\n  at: bad.jsonl:" + std::to_string(lines(exported) + 2));
  EXPECT_EQ(s.tlm(words("records export copy.db")).out, exported);
  s.write("worse.jsonl", "nonsense\n" + exported);
  s.refuses(words("records import new.db worse.jsonl"), 3, "not a JSON object\n  at: worse.jsonl:1");
  EXPECT_FALSE(s.exists("new.db"));
  s.refuses(words("records import new.db nowhere.jsonl"), 5, "cannot open the file\n  at: nowhere.jsonl");
}

TEST(Records, RefreshLeavesWhatIsUpToDate) {
  const Sandbox s;
  measure(s);
  Outcome r = s.tlm(words("records refresh r.db"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("measured 0 schedules of 0 workloads again; 3 were up to date"), std::string::npos) << r.err;
  // As if an older version had measured them.
  ASSERT_EQ(s.tlm(words("records export r.db -o a.jsonl")).code, 0);
  EXPECT_EQ(s.shell("sed -i 's/\"emitter_version\":[0-9]*/\"emitter_version\":0/' a.jsonl").code, 0);
  ASSERT_EQ(s.tlm(words("records import old.db a.jsonl")).code, 0);
  r = s.tlm(words("records refresh old.db --top 2"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find(" schedules of 3 workloads again; 0 were up to date"), std::string::npos) << r.err;
  r = s.tlm(words("records noise r.db --programs 4 --occasions 2"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("sigma"), std::string::npos) << r.out;
}

TEST(Records, BadFiles) {
  const Sandbox s;
  s.write("text", "this is no database, but it is long enough to have had a header");
  for (const char* command : {"list", "best", "export", "refresh", "noise"}) {
    s.refuses({"records", command, "text"}, 3, "not a record file");
    s.refuses({"records", command, "nowhere"}, 5, "there is no such file\n  at: nowhere");
  }
  s.refuses(words("records"), 2, "subcommand is required");
  s.refuses(words("records list"), 2, "FILE is required");
  s.refuses(words("records frob"), 2, "tlm records --help");
  s.refuses(words("records refresh text --top 0"), 2, "--top: wants a whole number from 1");
}

TEST(Measure, Refusals) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --measure 0"), 2, "--measure: wants a whole number from 1");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --measure 3 --scheduler search"), 2, "--measure is for other schedulers");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --measure 3 --target aarch64"), 4, "cannot be measured on this machine");
}

}  // namespace
}  // namespace tlm::tools::test
