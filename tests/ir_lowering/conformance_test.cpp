// Every single-node case of the ONNX backend tests: read, lowered to stages, interpreted, compared with the expected outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "run_graph.h"
#include "tlm/core/error.h"
#include "tlm/ir/onnx/onnx_reader.h"

namespace tlm::ir::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCases = "/usr/share/libonnx-testdata/data/node";
constexpr int kFloor = 770;  // cases that pass at least

enum class Status { kPassed, kWrong, kUnsupported, kRuntimeCall, kError };

struct Outcome {
  Status status;
  std::string reason;
};

std::string first_line(const std::string& s) { return s.substr(0, s.find('\n')); }

struct Named {
  std::vector<std::string> names;
  std::vector<Tensor> tensors;
};

// input_0.pb, input_1.pb, … with their names.
Named read_tensors(const fs::path& dir, const std::string& stem) {
  Named r;
  for (int i = 0; fs::exists(dir / (stem + std::to_string(i) + ".pb")); ++i) {
    std::string name;
    r.tensors.push_back(read_tensor_proto(dir / (stem + std::to_string(i) + ".pb"), &name));
    r.names.push_back(name);
  }
  return r;
}

// The test data of opset 16 and older hold bfloat16 as its bits in uint16 tensors.
Tensor as_declared(const Tensor& t, DType declared) {
  if (t.dtype() != DType::kU16 || declared != DType::kBF16) return t;
  return Tensor(DType::kBF16, t.shape(), t.data(), std::make_shared<Tensor>(t));
}

// Inputs that determine shapes may be bound from the data: first none, then small integers, then all small ones. Data that cannot
// be read (sequences, optional values, strings) belong to models that are refused.
Graph read_model(const fs::path& dir) {
  OnnxOptions options;
  std::optional<Error> refused;
  try {
    return read_onnx(dir / "model.onnx", options);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kUnsupported) throw;
    refused = e;
  }
  Named inputs;
  try {
    inputs = read_tensors(dir / "test_data_set_0", "input_");
  } catch (const Error&) {
    throw *refused;
  }
  for (bool integers_only : {true, false}) {
    for (size_t i = 0; i < inputs.names.size(); ++i) {
      const Tensor& t = inputs.tensors[i];
      if (t.shape().size() <= 1 && (!integers_only || is_integer(t.dtype()))) options.bound[inputs.names[i]] = t;
    }
    try {
      return read_onnx(dir / "model.onnx", options);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::kUnsupported) throw;
    }
  }
  throw *refused;
}

Outcome run_case(const fs::path& dir) {
  try {
    Graph g = read_model(dir);
    SubgraphBuilder b(g);
    std::string call;
    if (!lower_graph(g, b, &call)) return {Status::kRuntimeCall, call};
    Named inputs = read_tensors(dir / "test_data_set_0", "input_"), expected = read_tensors(dir / "test_data_set_0", "output_");
    std::vector<Tensor> given;
    for (ValueId v : g.inputs) {
      auto it = std::find(inputs.names.begin(), inputs.names.end(), g.value(v).name);
      if (it == inputs.names.end()) return {Status::kError, "no data for input " + g.value(v).name};
      given.push_back(as_declared(inputs.tensors[static_cast<size_t>(it - inputs.names.begin())], g.value(v).dtype));
    }
    std::vector<Tensor> y = run_lowered(g, b, given);
    if (y.size() < expected.tensors.size()) return {Status::kError, "fewer outputs than expected"};
    for (size_t j = 0; j < expected.tensors.size(); ++j) {
      // The expected bfloat16 values are truncated, ours are rounded: one unit in the last of 8 bits.
      double rtol = y[j].dtype() == DType::kBF16 ? 0x1p-7 : 1e-3;
      std::string d = difference(y[j], as_declared(expected.tensors[j], y[j].dtype()), rtol, 1e-7);
      if (!d.empty()) return {Status::kWrong, "output " + std::to_string(j) + ": " + d};
    }
    return {Status::kPassed, ""};
  } catch (const Error& e) {
    return {e.code() == ErrorCode::kUnsupported ? Status::kUnsupported : Status::kError, first_line(e.what())};
  } catch (const std::exception& e) {
    return {Status::kError, first_line(e.what())};
  }
}

TEST(Conformance, SingleNodeCases) {
  if (!fs::exists(kCases)) GTEST_SKIP() << "no " << kCases << " (install libonnx-testdata)";
  std::vector<fs::path> dirs;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    if (fs::exists(entry.path() / "model.onnx")) dirs.push_back(entry.path());
  }
  std::sort(dirs.begin(), dirs.end());
  std::map<Status, std::vector<std::string>> by_status;
  for (const fs::path& dir : dirs) {
    Outcome o = run_case(dir);
    by_status[o.status].push_back(dir.filename().string() + ": " + o.reason);
  }
  auto count = [&](Status s) { return static_cast<int>(by_status[s].size()); };
  std::printf("%zu cases: passed %d, wrong %d, unsupported %d, runtime call %d, error %d\n", dirs.size(), count(Status::kPassed),
              count(Status::kWrong), count(Status::kUnsupported), count(Status::kRuntimeCall), count(Status::kError));
  for (Status s : {Status::kWrong, Status::kError}) {
    for (const std::string& line : by_status[s]) std::printf("  %s %s\n", s == Status::kWrong ? "wrong" : "error", line.c_str());
  }
  if (std::getenv("TLM_LIST_UNSUPPORTED")) {
    for (Status s : {Status::kUnsupported, Status::kRuntimeCall}) {
      for (const std::string& line : by_status[s]) std::printf("  unsupported %s\n", line.c_str());
    }
  }
  EXPECT_EQ(count(Status::kWrong), 0);
  EXPECT_EQ(count(Status::kError), 0);
  EXPECT_GE(count(Status::kPassed), kFloor);
}

}  // namespace
}  // namespace tlm::ir::test
