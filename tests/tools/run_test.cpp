// Inputs and outputs of `tlm run` and `tlm verify`.
#include <gtest/gtest.h>

#include "sandbox.h"
#include "tests/ir_onnx/wire.h"
#include "tlm/core/npy.h"

namespace tlm::tools::test {
namespace {

using namespace ir::test;

void write_floats(const Sandbox& s, const std::string& file, const Shape& shape, float v) {
  Tensor t(DType::kF32, shape);
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_as<float>()[static_cast<size_t>(i)] = v;
  write_npy(s.path(file), t);
}

std::string npy(const std::string& header, const std::string& data) {
  std::string h = header + std::string(64 - (header.size() + 11) % 64, ' ') + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(h.size() % 256) + static_cast<char>(h.size() / 256) + h + data;
}

TEST(RunCommand, BadInputsAreRefused) {
  const Sandbox s;
  s.package("tiny_mlp");
  write_floats(s, "good.npy", {1, 16}, 1);
  write_floats(s, "shape.npy", {3}, 1);
  write_npy(s.path("type.npy"), Tensor(DType::kF64, {1, 16}));
  s.write("short.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 16), }", "xxxx"));
  s.write("huge.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 1000000000), }", "xxxx"));
  s.write("object.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "xxxx"));
  s.write("garbage.npy", "hello");
  s.write("empty.npy", "");
  s.write("garbage.pb", "\xff\xff\xff");
  s.write("data.txt", "");
  std::filesystem::create_directory(s.path("folder.npy"));
  const struct {
    const char* input;
    int code;
    const char* message;
  } kCases[] = {
      {"features", 2, "--input wants NAME=FILE, not 'features'"},
      {"=good.npy", 2, "--input wants NAME=FILE"},
      {"other=good.npy", 2, "the model has no input 'other'\n  try: its inputs: features"},
      {"features=data.txt", 2, "an input file ends in .npy or .pb"},
      {"features=nowhere.npy", 5, "No such file or directory\n  at: nowhere.npy"},
      {"features=folder.npy", 5, "Is a directory"},
      {"features=shape.npy", 2, "input 'features' is f32[1,16], the data is f32[3]"},
      {"features=type.npy", 2, "input 'features' is f32[1,16], the data is f64[1,16]"},
      {"features=short.npy", 3, "announces 16 elements of 4 bytes, the file holds 4 bytes"},
      {"features=huge.npy", 3, "has more than 2^62 elements"},
      {"features=object.npy", 3, "element type '|O'"},
      {"features=garbage.npy", 3, "not a .npy file"},
      {"features=empty.npy", 3, "not a .npy file"},
      {"features=garbage.pb", 3, "not a well-formed ONNX file"},
  };
  for (const auto& c : kCases) s.refuses({"run", "tiny_mlp.tlm", "--input", c.input}, c.code, c.message);
  s.refuses(words("run tiny_mlp.tlm --input features=good.npy --input features=good.npy"), 2,
            "--input 'features' is given twice");
}

TEST(RunCommand, InputsAndOutputs) {
  const Sandbox s;
  ModelParts m;
  m.nodes = {node("Add", {"x", "x"}, {"a/b"}), node("Neg", {"x"}, {"a_b"}), node("Abs", {"x"}, {"../.."})};
  m.inputs = {value("x", kFloat, {"6"})};
  for (const char* name : {"a/b", "a_b", "../.."}) m.outputs.push_back(value(name, kFloat, {"6"}));
  s.write("net.onnx", model(m));
  write_floats(s, "x.npy", {6}, 3);
  const Outcome r = s.tlm(words("run net.onnx --input x=x.npy --output-dir out/deep"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err.find("random"), std::string::npos);
  EXPECT_NE(r.out.find("a/b f32[6]  min 6  max 6  mean 6\n  #1  index 0  6\n  #2  index 1  6\n"), std::string::npos) << r.out;
  // Names of outputs are made file names of their own, inside the folder.
  EXPECT_EQ(read_npy(s.path("out/deep/a_b.npy")).at_f64(5), 6);
  EXPECT_EQ(read_npy(s.path("out/deep/a_b-2.npy")).at_f64(5), -3);
  EXPECT_EQ(s.files().size(), 2u + 2u + 3u);
}

TEST(RunCommand, TopElements) {
  const Sandbox s;
  ModelParts m;
  m.nodes = {node("Identity", {"x"}, {"y"})};
  m.inputs = {value("x", kInt64, {"8"})};
  m.outputs = {value("y", kInt64, {"8"})};
  s.write("net.onnx", model(m));
  Tensor t(DType::kI64, {8});
  const int64_t values[] = {5, -7, 9, 9, 0, 5, 8, 5};
  std::copy(values, values + 8, t.mutable_as<int64_t>().begin());
  write_npy(s.path("x.npy"), t);
  EXPECT_EQ(s.tlm(words("run net.onnx --input x=x.npy")).out,
            "y i64[8]  min -7  max 9  mean 4.25\n  #1  index 2  9\n  #2  index 3  9\n  #3  index 6  8\n  #4  index 0  5\n  #5  "
            "index 5  5\n");
}

TEST(VerifyCommand, FindsDifferences) {
  const Sandbox s;
  ModelParts m;
  m.nodes = {node("Add", {"x", "x"}, {"y"})};
  m.inputs = {value("x", kFloat, {"4"})};
  m.outputs = {value("y", kFloat, {"4"})};
  s.write("net.onnx", model(m));
  s.write("data/input_0.pb", floats("x", {4}, {1, 2, 3, 4}).bytes);
  s.write("data/output_0.pb", floats("y", {4}, {2, 4, 6, 8}).bytes);
  ASSERT_EQ(s.tlm(words("compile net.onnx -o net.tlm")).code, 0);
  for (const char* file : {"net.onnx", "net.tlm"}) {
    const Outcome r = s.tlm({"verify", file, "--data", "data"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.out, "ok y: max |difference| 0.00e+00\n");
  }
  s.write("data/output_0.pb", floats("y", {4}, {2, 4, 6, 8.1f}).bytes);
  Outcome r = s.tlm(words("verify net.tlm --data data"));
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.out.find("MISMATCH y: 1 of 4 elements differ; first at 3: 8, expected 8.1"), std::string::npos) << r.out;
  EXPECT_EQ(s.tlm(words("verify net.tlm --data data --rtol 0.1")).code, 0);
  EXPECT_EQ(s.tlm(words("verify net.tlm --data data --rtol 0 --atol 0.02")).code, 0);
  s.write("data/output_0.pb", floats("y", {2, 2}, {2, 4, 6, 8}).bytes);
  r = s.tlm(words("verify net.tlm --data data"));
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.out.find("is f32[4], expected f32[2,2]"), std::string::npos) << r.out;
  std::filesystem::remove(s.path("data/input_0.pb"));
  s.refuses(words("verify net.tlm --data data"), 2, "no data for input 'x'");
}

TEST(InspectCommand, ModelsAndPackages) {
  const Sandbox s;
  s.package("tiny_cnn");
  Outcome r = s.tlm(words("inspect tiny_cnn.onnx --target x86-64-v3"));
  for (const char* part : {"model    tiny_cnn: 16 nodes", "input    image f32[1,3,16,16]", "output   probabilities f32[1,10]",
                           "target   x86-64-v3: x86-64, 256-bit vectors",
                           "steps    9 subgraphs (9 distinct workloads), 0 runtime calls", "K  subgraph"})
    EXPECT_NE(r.out.find(part), std::string::npos) << part << "\n" << r.out;
  r = s.tlm(words("inspect tiny_cnn.tlm"));
  for (const char* part : {"package  tiny_cnn", "engine   tlm ", "needs:", "step", "softmax"})
    EXPECT_NE(r.out.find(part), std::string::npos) << r.out;
  r = s.tlm(words("inspect tiny_cnn.onnx --subgraph 8"));
  for (const char* part : {"subgraph 8: softmax, workload ", "combine max", "space: 10^", "decision  "})
    EXPECT_NE(r.out.find(part), std::string::npos) << part << "\n" << r.out;
  r = s.tlm(words("inspect tiny_cnn.onnx --sentence"));
  EXPECT_EQ(r.out.rfind("<target> cpu ", 0), 0u);
}

}  // namespace
}  // namespace tlm::tools::test
