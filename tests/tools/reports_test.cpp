// JSON reports have the keys that users rely on.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> keys(const Json& j) {
  std::vector<std::string> all;
  for (const auto& [key, value] : j.items()) all.push_back(key);
  return all;  // sorted
}

TEST(Reports, Compile) {
  const Sandbox s;
  ASSERT_EQ(s.tlm({"compile", s.zoo("tiny_cnn"), "-o", "a.tlm", "--report", "r.json"}).code, 0);
  const Json r = Json::parse(s.read("r.json"));
  EXPECT_EQ(keys(r),
            words("codegen_ms compile_ms details import_ms lm max_error runtime_calls schedule_ms scheduler search subgraphs "
                  "target total_ms workloads"));
  EXPECT_EQ(r["scheduler"], r["lm"].is_null() ? "constructive" : "lm");
  EXPECT_TRUE(r["search"].is_null());
  for (const char* time : {"import_ms", "schedule_ms", "codegen_ms", "compile_ms", "total_ms"})
    EXPECT_GE(r[time].get<double>(), 0) << time;
  EXPECT_GE(r["total_ms"].get<double>(), r["compile_ms"].get<double>());
  EXPECT_EQ(r["subgraphs"].get<int>(), 9);
  EXPECT_EQ(r["workloads"].get<int>(), 9);
  EXPECT_LT(r["max_error"].get<double>(), 1e-4);
  ASSERT_EQ(r["details"].size(), 9u);
  for (const Json& d : r["details"]) {
    EXPECT_EQ(keys(d), words("count flops hash max_error name ratio schedule trials"));
    EXPECT_LE(d["max_error"].get<double>(), r["max_error"].get<double>());
  }
}

// Code for another machine cannot be run here: the error is unknown, not zero.
TEST(Reports, CompileForAnotherMachine) {
  const Sandbox s;
  if (s.tlm({"compile", s.zoo("tiny_mlp"), "-o", "a.tlm", "--target", "aarch64", "--report", "r.json"}).code != 0)
    GTEST_SKIP() << "no cross compiler";
  EXPECT_TRUE(Json::parse(s.read("r.json"))["max_error"].is_null());
}

TEST(Reports, Bench) {
  const Sandbox s;
  ASSERT_EQ(s.tlm({"bench", s.package("tiny_cnn"), "--threads", "1", "--repeat", "3", "--json", "b.json"}).code, 0);
  const Json b = Json::parse(s.read("b.json"));
  EXPECT_EQ(keys(b), words("latency_ms model overhead_fraction overhead_ms peak_gflops steps stream_gbps subgraphs threads"));
  EXPECT_EQ(keys(b["latency_ms"]), words("median min"));
  EXPECT_EQ(b["threads"].get<int>(), 1);
  EXPECT_EQ(b["model"].get<std::string>(), "tiny_cnn");
  EXPECT_GT(b["latency_ms"]["min"].get<double>(), 0);
  EXPECT_LE(b["latency_ms"]["min"].get<double>(), b["latency_ms"]["median"].get<double>());
  EXPECT_GT(b["peak_gflops"].get<double>(), 0);
  ASSERT_EQ(b["subgraphs"].size(), 9u);
  EXPECT_GT(b["stream_gbps"].get<double>(), 0);
  EXPECT_NEAR(b["overhead_fraction"].get<double>(), 0.5, 0.5);
  double rows = 0, steps = 0;
  for (const Json& g : b["subgraphs"]) {
    EXPECT_EQ(keys(g), words("bound bytes count flops gbps gflops min_ms ms name peak_fraction roofline_fraction"));
    const double flops = g["flops"], bytes = g["bytes"], peak = b["peak_gflops"], stream = b["stream_gbps"], ms = g["ms"];
    EXPECT_GT(bytes, 0);
    EXPECT_EQ(g["bound"].get<std::string>(), flops / peak >= bytes / stream ? "compute" : "memory");
    EXPECT_NEAR(g["roofline_fraction"].get<double>() * ms, g["count"].get<int>() * std::max(flops / peak, bytes / stream) * 1e-6,
                1e-9);
    rows += ms;
  }
  // Nine subgraphs, each used once: the steps are the rows.
  ASSERT_EQ(b["steps"].size(), 9u);
  for (const Json& step : b["steps"]) {
    EXPECT_EQ(keys(step), words("ms name workload"));
    steps += step["ms"].get<double>();
  }
  EXPECT_NEAR(steps, rows, 1e-9);
  const Outcome text = s.tlm({"bench", s.package("tiny_cnn"), "--threads", "1", "--repeat", "3", "--steps"});
  for (const char* part : {"GB/s", "% of roofline", "% of a run", "GB/s stream", "step  name"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
}

TEST(Reports, Conformance) {
  const std::string data = "/usr/share/libonnx-testdata/data/node/";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "libonnx-testdata is not installed";
  const Sandbox s;
  const std::filesystem::path cases = s.path("cases");
  std::filesystem::create_directory(cases);
  for (const char* name : {"test_relu", "test_add", "test_nonzero_example"})
    std::filesystem::copy(data + name, cases / name, std::filesystem::copy_options::recursive);
  // A case whose expected output is wrong, one that is damaged, one with a folder that is no case.
  std::filesystem::copy(data + "test_relu", cases / "wrong_data", std::filesystem::copy_options::recursive);
  std::filesystem::copy_file(data + "test_relu/test_data_set_0/input_0.pb", cases / "wrong_data/test_data_set_0/output_0.pb",
                             std::filesystem::copy_options::overwrite_existing);
  s.write("cases/damaged/model.onnx", "garbage");
  s.write("cases/damaged/test_data_set_0/none", "");
  s.write("cases/no_case/readme", "");

  const Outcome run = s.tlm(words("conformance cases --json c.json"));
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_NE(run.out.find("2 passed (2 generated, 0 runtime call, 0 folded), 1 wrong, 1 unsupported, 1 error, of 5"),
            std::string::npos)
      << run.out;
  const Json c = Json::parse(s.read("c.json"));
  EXPECT_EQ(keys(c), words("cases error passed unsupported via wrong"));
  EXPECT_EQ(keys(c["via"]), words("folded generated runtime_call"));
  std::map<std::string, std::string> status;
  for (const Json& item : c["cases"]) {
    EXPECT_EQ(keys(item), words("name reason status via"));
    status[item["name"]] = item["status"];
    if (item["status"] == "unsupported") {
      EXPECT_NE(item["reason"].get<std::string>().find("NonZero, opset"), std::string::npos) << item;
    }
  }
  const std::map<std::string, std::string> expected = {{"damaged", "error"},
                                                       {"test_add", "passed"},
                                                       {"test_nonzero_example", "unsupported"},
                                                       {"test_relu", "passed"},
                                                       {"wrong_data", "wrong"}};
  EXPECT_EQ(status, expected);

  std::filesystem::remove_all(cases / "wrong_data");
  std::filesystem::remove_all(cases / "damaged");
  EXPECT_EQ(s.tlm(words("conformance cases")).code, 0);
}

}  // namespace
}  // namespace tlm::tools::test
