// Weights beside the model: read by mapping, and never from outside the model's folder.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/support.h"
#include "tlm/core/error.h"
#include "wire.h"

namespace tlm::ir::test {
namespace {

namespace fs = std::filesystem;
using tlm::test::expect_error;
using tlm::test::TempFolder;

Message entry(const std::string& key, const std::string& v) { return Message().text(1, key).text(2, v); }

// A model whose only weight w [4] f32 lies at `location`.
std::string model_with(const std::string& location, const std::string& offset = {}, const std::string& length = {},
                       int type = kFloat) {
  Message w = tensor("w", type, {4}).message(13, entry("location", location)).number(14, 1);
  if (!offset.empty()) w.message(13, entry("offset", offset));
  if (!length.empty()) w.message(13, entry("length", length));
  w.message(13, entry("checksum", "not looked at"));
  ModelParts p;
  p.initializers = {w};
  p.inputs = {value("x", type, {"4"})};
  p.nodes = {node("Equal", {"x", "w"}, {"y"})};
  p.outputs = {value("y", kBoolean, {"4"})};
  return model(p);
}

class ExternalData : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "models/sub");
    write("models/w.bin", floats_bytes());
    write("models/sub/w.bin", floats_bytes());
    write("outside.bin", floats_bytes());
  }
  static std::string floats_bytes() {
    const float v[6] = {0, 1, 2, 3, 4, 5};
    return {reinterpret_cast<const char*>(v), sizeof v};
  }
  void write(const std::string& name, const std::string& bytes) { std::ofstream(folder_ / name, std::ios::binary) << bytes; }
  std::vector<double> load(const std::string& bytes) {
    write("models/m.onnx", bytes);
    const Graph g = read_onnx(folder_ / "models/m.onnx");
    verify(g);
    const Tensor& t = *g.value(g.nodes.at(0).inputs.at(1)).constant;
    std::vector<double> v;
    for (int64_t i = 0; i < t.size(); ++i) v.push_back(t.at_f64(i));
    return v;
  }
  void refuse(const std::string& bytes, ErrorCode code, const std::string& part) {
    expect_error(code, part, [&] { load(bytes); });
  }
  TempFolder folder_;
};

TEST_F(ExternalData, OffsetAndLength) {
  EXPECT_EQ(load(model_with("w.bin")), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(load(model_with("w.bin", "8", "16")), (std::vector<double>{2, 3, 4, 5}));
  EXPECT_EQ(load(model_with("sub/w.bin", "4")), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(load(model_with("./sub/w.bin", "4")), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(load(model_with("w.bin", "3", {}, kUint8)), (std::vector<double>{0, 0, 0, 128}));  // unaligned
}

TEST_F(ExternalData, BoundsAreChecked) {
  refuse(model_with("w.bin", "12"), ErrorCode::kBadModel, "external data 'w.bin' has 24 bytes");
  refuse(model_with("w.bin", "18446744073709551615"), ErrorCode::kBadModel, "has 24 bytes");
  refuse(model_with("w.bin", "-4"), ErrorCode::kBadModel, "offset is '-4'");
  refuse(model_with("w.bin", "4x"), ErrorCode::kBadModel, "offset is '4x'");
  refuse(model_with("w.bin", "0", "12"), ErrorCode::kBadModel, "external data has 12 bytes; shape [4] needs 16");
  refuse(model_with("w.bin", "0", "99999999999999999999"), ErrorCode::kBadModel, "length is");
}

TEST_F(ExternalData, PathsStayInTheFolder) {
  const char* kOutside = "external data lies outside the model's folder";
  refuse(model_with("../outside.bin"), ErrorCode::kBadModel, kOutside);
  refuse(model_with("sub/../../outside.bin"), ErrorCode::kBadModel, kOutside);
  refuse(model_with("sub/../w.bin"), ErrorCode::kBadModel, kOutside);
  refuse(model_with((folder_ / "models/w.bin").string()), ErrorCode::kBadModel, kOutside);
  refuse(model_with(std::string("w.bin\0.txt", 10)), ErrorCode::kBadModel, kOutside);
  refuse(model_with(""), ErrorCode::kBadModel, kOutside);
  refuse(model_with("missing.bin"), ErrorCode::kEnvironment, "missing.bin");
  refuse(model_with("sub"), ErrorCode::kEnvironment, "sub");
}

TEST_F(ExternalData, SymbolicLinksDoNotLeadOut) {
  fs::create_symlink(folder_ / "outside.bin", folder_ / "models/link.bin");
  fs::create_directory_symlink(folder_.path(), folder_ / "models/up");
  refuse(model_with("link.bin"), ErrorCode::kBadModel, "outside the model's folder");
  refuse(model_with("up/outside.bin"), ErrorCode::kBadModel, "outside the model's folder");
  fs::create_symlink(folder_ / "models/sub/w.bin", folder_ / "models/inside.bin");
  EXPECT_EQ(load(model_with("inside.bin", "4")), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(ExternalData, AFolderWhoseNameBeginsAlikeIsOutside) {
  fs::create_directories(folder_ / "models2");
  write("models2/w.bin", floats_bytes());
  fs::create_directory_symlink(folder_ / "models2", folder_ / "models/other");
  refuse(model_with("other/w.bin"), ErrorCode::kBadModel, "outside the model's folder");
}

TEST_F(ExternalData, AModelInMemoryHasNone) {
  const std::string error = read_error(model_with("w.bin"));
  EXPECT_NE(error.find("4: "), std::string::npos);
  EXPECT_NE(error.find("a model in memory has external data"), std::string::npos) << error;
}

}  // namespace
}  // namespace tlm::ir::test
