// The language model on the command line: tlm compile --scheduler lm, tlm decode.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sandbox.h"
#include "small_model.h"
#include "tlm/lm/language_model.h"

namespace tlm::tools::test {
namespace {

using Json = nlohmann::json;

TEST(LanguageModel, CompilesAndReports) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  make_model(s, "m");
  const Outcome r =
      s.tlm(words("compile tiny_cnn.onnx -o a.tlm --scheduler lm --model m --report r.json --emit-schedules s.txt"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("language model m (greedy): 9 workloads in "), std::string::npos) << r.err;
  const Json report = Json::parse(s.read("r.json"));
  EXPECT_EQ(report["scheduler"], "lm");
  EXPECT_TRUE(report["search"].is_null());
  const Json& lm = report["lm"];
  EXPECT_EQ(lm["model"], "m");
  EXPECT_EQ(lm["decode"], "greedy");
  EXPECT_GT(lm["ms"].get<double>(), lm["load_ms"].get<double>());
  EXPECT_EQ(lm["workloads"].get<int>(), 9);
  EXPECT_TRUE(lm["fallbacks"].empty());
  EXPECT_EQ(lm["defaults"].get<int>(), 0);
  EXPECT_LT(report["max_error"].get<double>(), 1e-4);

  // A model that is named is asked; one thread or many, once or again: the same package.
  const std::string package = s.read("a.tlm");
  for (const char* more : {"--scheduler lm --jobs 1", "--jobs 2", "--scheduler default --no-cache"}) {
    ASSERT_EQ(s.tlm(words(std::string("compile tiny_cnn.onnx -o b.tlm --model m ") + more)).code, 0) << more;
    EXPECT_TRUE(s.read("b.tlm") == package) << more;
  }
  ASSERT_EQ(s.tlm(words("compile tiny_cnn.onnx -o b.tlm --scheduler constructive")).code, 0);
  EXPECT_FALSE(s.read("b.tlm") == package);
}

TEST(LanguageModel, FallbacksAndDefaultsAreReported) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  make_model(s, "short", 90);
  const Outcome r = s.tlm(words("compile tiny_cnn.onnx -o a.tlm --model short --report r.json"));
  ASSERT_EQ(r.code, 0) << r.err;
  const Json lm = Json::parse(s.read("r.json"))["lm"];
  ASSERT_FALSE(lm["fallbacks"].empty());
  EXPECT_LT(lm["fallbacks"].size(), 9u);
  EXPECT_NE(lm["fallbacks"][0].get<std::string>().find(" in a context of 90"), std::string::npos);
  EXPECT_NE(r.err.find("constructive schedule for "), std::string::npos) << r.err;

  lm::LanguageInfo info = lm::standard_language();
  std::erase(info.words, "@inner");
  make_model(s, "old", 512, info);
  s.zoo("tiny_mlp");
  for (const char* options : {"tiny_cnn.onnx", "tiny_mlp.onnx --measure 2"}) {
    const Outcome old = s.tlm(words(std::string("compile -o a.tlm --model old --report r.json ") + options));
    ASSERT_EQ(old.code, 0) << old.err;
    const Json report = Json::parse(s.read("r.json"))["lm"];
    const int defaults = report["defaults"];
    if (options == std::string("tiny_cnn.onnx")) {
      EXPECT_GT(defaults, 0);
      EXPECT_NE(old.err.find("decisions the default (inner "), std::string::npos) << old.err;
    }
    const Json kinds = defaults > 0 ? Json{{"inner", defaults}} : Json::object();
    EXPECT_EQ(report["default_kinds"], kinds);
  }

  info = lm::standard_language();
  info.devices = {"gpu"};
  make_model(s, "other", 512, info);
  ASSERT_EQ(s.tlm(words("compile tiny_cnn.onnx -o a.tlm --model other --report r.json")).code, 0);
  const Json other = Json::parse(s.read("r.json"))["lm"];
  EXPECT_EQ(other["workloads"].get<size_t>(), other["fallbacks"].size());
  EXPECT_NE(other["fallbacks"][0].get<std::string>().find("not trained for this kind of device"), std::string::npos);
}

TEST(LanguageModel, MeasuresItsProposals) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  make_model(s, "m");
  const Outcome r = s.tlm(words("compile tiny_mlp.onnx -o a.tlm --model m --measure 3 --records r.db --report r.json"));
  ASSERT_EQ(r.code, 0) << r.err;
  const Json report = Json::parse(s.read("r.json"));
  EXPECT_EQ(report["lm"]["decode"], "gumbel");
  EXPECT_GT(report["search"]["measured"].get<int>(), 1);
  EXPECT_LE(report["search"]["measured"].get<int>(), 3 * report["workloads"].get<int>());
  ASSERT_EQ(s.shell("$TLM records export r.db -o r.jsonl 2>/dev/null").code, 0);
  EXPECT_NE(s.read("r.jsonl").find("\"lm m\""), std::string::npos) << "the origin names the model";
}

TEST(LanguageModel, DecodeRepeatsExactly) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  make_model(s, "m");
  const std::string decode = "decode tiny_cnn.onnx --model m --decode sampling:temperature=1.5,n=6 ";
  const Outcome r = s.tlm(words(decode + "-o a.csv --plot a.svg --seed 3"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find(" different schedules of 9 workloads\n"), std::string::npos) << r.out;
  ASSERT_EQ(s.tlm(words(decode + "-o b.csv --plot b.svg --seed 3 --jobs 1")).code, 0);
  EXPECT_EQ(s.read("a.csv"), s.read("b.csv"));
  EXPECT_EQ(s.read("a.svg"), s.read("b.svg"));
  ASSERT_EQ(s.tlm(words(decode + "-o b.csv --seed 4")).code, 0);
  EXPECT_NE(s.read("a.csv"), s.read("b.csv"));

  ASSERT_EQ(s.tlm(words(decode + "-o a.json --seed 3 --k 2")).code, 0);
  const Json j = Json::parse(s.read("a.json"));
  EXPECT_EQ(j["decode"], "sampling:temperature=1.5,n=6");
  ASSERT_EQ(j["workloads"].size(), 9u);
  double total = 0;
  for (const Json& w : j["workloads"]) {
    EXPECT_TRUE(w["fallback"].is_null());
    EXPECT_GE(w["schedules"].size(), 1u);
    EXPECT_LE(w["schedules"].size(), 2u);
    for (const Json& one : w["schedules"]) {
      EXPECT_LE(one["log_probability"].get<double>(), 0);  // 0: a short sentence that the model is certain of
      total += one["log_probability"].get<double>();
      EXPECT_TRUE(one["sentence"].get<std::string>().ends_with("<end>"));
      EXPECT_FALSE(one.contains("ratio"));
    }
  }
  EXPECT_LT(total, 0);
}

TEST(LanguageModel, DecodeMeasuresAListOfWorkloads) {
  const Sandbox s;
  make_model(s, "m");
  ASSERT_EQ(s.shell("head -2 \"" + std::string(TLM_SOURCE_DIR) + "/lm/data/dev_workloads.jsonl\" >list.jsonl").code, 0);
  const Outcome r = s.tlm(words("decode --workloads list.jsonl --model m --decode gumbel --k 2 --measure -o a.json"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("geometric mean: first "), std::string::npos) << r.out;
  for (const Json& w : Json::parse(s.read("a.json"))["workloads"])
    for (const Json& one : w["schedules"]) {
      const std::string status = one["status"];
      EXPECT_TRUE(status == "ok" || status == "slow") << status;
      EXPECT_GT(one["ratio"].get<double>(), 0);
    }
}

TEST(LanguageModel, DecodeAsksForAQuality) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  make_model(s, "m", 512, lm::standard_language({}, 4));
  make_model(s, "plain");
  const std::string decode = "decode tiny_cnn.onnx --model m -o ";
  for (const char* options : {"none.json", "0.json --quality 0", "3.json --quality 3"})
    ASSERT_EQ(s.tlm(words(decode + options)).code, 0) << options;
  EXPECT_EQ(s.read("none.json"), s.read("0.json")) << "the best is asked for";
  const Json best = Json::parse(s.read("0.json")), other = Json::parse(s.read("3.json"));
  EXPECT_EQ(best["quality"], 0);
  EXPECT_EQ(other["quality"], 3);
  EXPECT_NE(best["workloads"], other["workloads"]);
  ASSERT_EQ(s.tlm(words("decode tiny_cnn.onnx --model plain -o plain.json")).code, 0);
  EXPECT_TRUE(Json::parse(s.read("plain.json"))["quality"].is_null());

  s.refuses(words(decode + "a.json --quality 4"), 2, "it knows the qualities 0 (the best) to 3");
  s.refuses(words(decode + "a.json --quality 16"), 2, "--quality");
  s.refuses(words("decode tiny_cnn.onnx --model plain --quality 0"), 2, "it was trained without qualities");
}

// Measured, or measured by the strategy: a schedule that is in the records is not measured again.
TEST(LanguageModel, DecodeKeepsWhatItMeasures) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  make_model(s, "m");
  const std::string decode = "decode tiny_mlp.onnx --model m --records r.db ";
  const Outcome first = s.tlm(words(decode + "--decode gumbel --k 2 --measure -o a.json"));
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find(" schedules measured, 0 were in the records"), std::string::npos) << first.err;
  const Outcome again = s.tlm(words(decode + "--decode gumbel --k 2 --measure -o b.json"));
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("tlm: 0 schedules measured, "), std::string::npos) << again.err;
  EXPECT_EQ(s.read("a.json"), s.read("b.json"));
  const Outcome strategy = s.tlm(words(decode + "--decode best-of:n=2 -o b.json"));
  ASSERT_EQ(strategy.code, 0) << strategy.err;
  EXPECT_NE(strategy.err.find("tlm: 0 schedules measured, "), std::string::npos) << strategy.err;
  const Outcome more = s.tlm(words(decode + "--decode gumbel --k 3 --measure"));
  ASSERT_EQ(more.code, 0) << more.err;
  EXPECT_EQ(more.err.find("tlm: 0 schedules measured, "), std::string::npos) << more.err;
  EXPECT_EQ(more.err.find(", 0 were in the records"), std::string::npos) << more.err;
  ASSERT_EQ(s.shell("$TLM records export r.db -o r.jsonl 2>/dev/null").code, 0);
  EXPECT_NE(s.read("r.jsonl").find("\"lm m\""), std::string::npos) << "the origin names the model";
}

TEST(LanguageModel, Refusals) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  make_model(s, "m");
  ASSERT_EQ(s.shell("cp -r m damaged && rm damaged/language.json").code, 0);
  const std::string compile = "compile tiny_mlp.onnx -o a.tlm ";
  s.refuses(words(compile + "--scheduler lm --model nowhere"), 5, "language.json");
  s.refuses(words(compile + "--model damaged"), 5, "damaged/language.json");
  s.refuses(words(compile + "--model m --decode magic"), 2, "choose one of: greedy, sampling, beam, gumbel, best-of");
  s.refuses(words(compile + "--model m --decode greedy:n=3"), 2, "the strategy has no parameter 'n'");
  s.refuses(words(compile + "--scheduler random --model m"), 2, "--model and --decode are for --scheduler lm, not for random");
  s.refuses(words("decode --model m"), 2, "give either a model or --workloads LIST");
  s.refuses(words("decode tiny_mlp.onnx --workloads l --model m"), 2, "give either a model or --workloads LIST");
  s.refuses(words("decode tiny_mlp.onnx --model m -o a.txt"), 2, "-o wants a name that ends in .csv or .json");
  s.refuses(words("decode tiny_mlp.onnx --model m -o tiny_mlp.onnx"), 2, "");
  s.refuses(words("decode tiny_mlp.onnx --model m --records r.db"), 2, "--records wants --measure");
  s.refuses(words("decode tiny_mlp.onnx --model m --measure --records a.json -o a.json"), 2, "name the same file");
}

}  // namespace
}  // namespace tlm::tools::test
