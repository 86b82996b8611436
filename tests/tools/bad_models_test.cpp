// Models that are damaged, hostile or out of reach, through the command line. (tests/ir_onnx looks at the reader more closely.)
#include <gtest/gtest.h>

#include "sandbox.h"
#include "tests/ir_onnx/wire.h"

namespace tlm::tools::test {
namespace {

using namespace ir::test;

std::string relu(const std::string& from, const std::string& to, const std::vector<std::string>& dims) {
  ModelParts m;
  m.nodes = {node("Relu", {from}, {to})};
  m.inputs = {value(from, kFloat, dims)};
  m.outputs = {value(to, kFloat, dims)};
  return model(m);
}

std::string external(const std::string& location) {
  ModelParts m;
  m.nodes = {node("Relu", {"c"}, {"y"})};
  m.initializers = {tensor("c", kFloat, {4}).number(14, 1).message(13, Message().text(1, "location").text(2, location))};
  m.outputs = {value("y", kFloat, {"4"})};
  return model(m);
}

ModelParts parts(const std::vector<Message>& nodes, const std::vector<Message>& inputs, const std::vector<Message>& outputs) {
  ModelParts m;
  m.nodes = nodes, m.inputs = inputs, m.outputs = outputs;
  return m;
}

TEST(BadModels, AreRefused) {
  const Sandbox s;
  const std::string good = s.read(s.zoo("tiny_cnn"));
  const Message x = value("x", kFloat, {"4"}), y = value("y", kFloat, {"4"});
  ModelParts no_data = parts({node("Relu", {"c"}, {"y"})}, {}, {y});
  no_data.initializers = {tensor("c", kFloat, {1 << 28})};
  const struct {
    const char* name;
    std::string bytes;
    int code;
    const char* message;
  } kCases[] = {
      {"empty", "", 3, "no model graph"},
      {"text", "this is no model\n", 3, "not a well-formed ONNX file"},
      {"garbage", std::string(5000, '\xff'), 3, "not a well-formed ONNX file"},
      {"half", good.substr(0, good.size() / 2), 3, "not a well-formed ONNX file"},
      {"one byte short", good.substr(0, good.size() - 1), 3, "not a well-formed ONNX file"},
      {"no outputs", model(parts({node("Relu", {"x"}, {"y"})}, {x}, {})), 3, "the graph has no outputs"},
      {"cycle", model(parts({node("Relu", {"a"}, {"b"}), node("Relu", {"b"}, {"a"})}, {}, {value("a", kFloat, {"4"})})), 3,
       "cycle"},
      {"missing value", model(parts({node("Relu", {"nope"}, {"y"})}, {x}, {y})), 3, "input 'nope' is produced by no node"},
      {"an output twice", model(parts({node("Relu", {"x"}, {"y"})}, {x}, {y, y})), 3, "graph output 'y' is given twice"},
      {"an input twice", model(parts({node("Relu", {"x"}, {"y"})}, {x, x}, {y})), 3, "graph input 'x' is given twice"},
      {"overflow", relu("x", "y", {"1099511627776", "1099511627776"}), 3, "has more than 2^62 elements"},
      {"terabytes", relu("x", "y", {"1048576", "1048576"}), 3, "announces more than"},
      {"negative", relu("x", "y", {"-4"}), 3, "negative extent -4"},
      {"a gigabyte in a hundred bytes", model(no_data), 3, "shape [268435456] needs 268435456"},
      {"external data above", external("../secret"), 3, "outside the model's folder"},
      {"external data elsewhere", external("/etc/passwd"), 3, "outside the model's folder"},
      {"external data missing", external("weights.bin"), 5, "weights.bin"},
      {"unknown operator", model(parts({node("Frobnicate", {"x"}, {"y"}, {}, "frob1")}, {x}, {y})), 4,
       "node 'frob1', operator Frobnicate, opset 17"},
      {"shape from data", model(parts({node("NonZero", {"x"}, {"y"})}, {x}, {value("y", kInt64, {"1", "k"})})), 4, "NonZero"},
      {"strings", model(parts({node("Identity", {"x"}, {"y"})}, {value("x", kString, {"4"})}, {value("y", kString, {"4"})})), 4,
       "STRING"},
      {"declared shape", model(parts({node("Relu", {"x"}, {"y"})}, {x}, {value("y", kFloat, {"5"})})), 3,
       "declared with shape [5]; its node gives [4]"},
      {"symbolic", relu("x", "y", {"N", "4"}), 2, "dimension 'N' of the model's inputs must be given"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    s.write("m/net.onnx", c.bytes);
    for (const char* command : {"compile m/net.onnx -o m/net.tlm", "run m/net.onnx", "inspect m/net.onnx"})
      s.refuses(words(command), c.code, c.message);
  }
}

TEST(BadModels, FilesThatAreNone) {
  const Sandbox s;
  std::filesystem::create_directory(s.path("folder"));
  for (const char* command : {"compile FILE -o a.tlm", "run FILE", "inspect FILE", "bench FILE", "verify FILE --by-subgraph"}) {
    const auto with = [&](const std::string& file) {
      std::vector<std::string> w = words(command);
      w[1] = file;
      return w;
    };
    s.refuses(with("nowhere.onnx"), 5, "No such file or directory\n  at: nowhere.onnx");
    s.refuses(with("folder"), 5, "Is a directory\n  at: folder");
    s.refuses(with("/dev/zero"), 5, "not a regular file\n  at: /dev/zero");
  }
  const Outcome r = s.shell("mkfifo pipe && timeout 20 $TLM run pipe");
  EXPECT_EQ(r.code, 5) << r.out;
  s.zoo("tiny_mlp");
  s.refuses({"compile", s.package("tiny_mlp"), "-o", "a.tlm"}, 3, "not a well-formed ONNX file");
}

TEST(BadModels, UnreadableFiles) {
  const Sandbox s;
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  s.zoo("tiny_mlp");
  EXPECT_EQ(s.shell("chmod 000 tiny_mlp.onnx").code, 0);
  const Outcome r = s.tlm({"compile", "tiny_mlp.onnx", "-o", "a.tlm"});
  EXPECT_EQ(r.code, 5);
  EXPECT_NE(r.err.find("Permission denied"), std::string::npos);
}

// Odd models that are legal: they compile and run.
TEST(OddModels, CompileAndRun) {
  const Sandbox s;
  const Message x = value("x", kFloat, {"4"}), y = value("y", kFloat, {"4"});
  ModelParts constant = parts({node("Relu", {"x"}, {"y"})}, {x}, {y, value("c", kFloat, {"2"})});
  constant.initializers = {floats("c", {2}, {1, 2})};
  const struct {
    const char* name;
    std::string bytes;
    const char* output;
  } kCases[] = {
      {"input as output", model(parts({}, {x}, {x})), "x f32[4]"},
      {"input beside output", model(parts({node("Relu", {"x"}, {"y"})}, {x}, {y, x})), "x f32[4]"},
      {"constant as output", model(constant), "c f32[2]  min 1  max 2"},
      {"no elements", relu("x", "y", {"0", "4"}), "y f32[0,4]"},
      {"a sum of nothing",
       model(parts({node("ReduceSum", {"x"}, {"y"})}, {value("x", kFloat, {"0", "4"})}, {value("y", kFloat, {"1", "1"})})),
       "y f32[1,1]  min 0  max 0"},
      {"a scalar", relu("x", "y", {}), "y f32[]"},
      {"names that are no names", relu("x\n\x1b[31m", "*/ \"; $(touch pwned) %s", {"4"}), "*/ \"; $(touch pwned) %s f32[4]"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    s.write("net.onnx", c.bytes);
    const Outcome made = s.tlm(words("compile net.onnx -o net.tlm"));
    EXPECT_EQ(made.code, 0) << made.err;
    const Outcome r = s.tlm(words("run net.tlm"));
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find(c.output), std::string::npos) << r.out;
    EXPECT_EQ((r.out + r.err + s.tlm(words("inspect net.onnx")).out).find('\x1b'), std::string::npos)
        << "terminal sequences of a model";
    EXPECT_FALSE(s.exists("pwned"));
  }
  // Names that are neither UTF-8 nor one line, in every file that is written.
  s.write("net.onnx", model(parts({node("Relu", {"x"}, {"\xff\xfe"}, {}, "n\xff\n0123456789abcdef a=b")}, {x},
                                  {value("\xff\xfe", kFloat, {"4"})})));
  EXPECT_EQ(s.tlm(words("compile net.onnx -o net.tlm --report r.json --emit-schedules f")).code, 0);
  EXPECT_EQ(s.tlm(words("compile net.onnx -o net.tlm --schedules f")).err.find("warning"), std::string::npos) << s.read("f");
  EXPECT_EQ(s.tlm(words("bench net.tlm --repeat 1 --json b.json")).code, 0);
  s.write("symbolic.onnx", relu("x", "y", {"N", "4"}));
  EXPECT_EQ(s.tlm(words("compile symbolic.onnx -o net.tlm --dim N=3")).code, 0);
  EXPECT_NE(s.tlm(words("run net.tlm")).out.find("y f32[3,4]"), std::string::npos);
}

}  // namespace
}  // namespace tlm::tools::test
