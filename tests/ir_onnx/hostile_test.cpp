// Files that lie: a clear error, in no time, without the memory they ask for.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>

#include "tests/core/support.h"
#include "tlm/core/error.h"
#include "tlm/core/rng.h"
#include "wire.h"

namespace tlm::ir::test {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "'" << (part) << "' not in: " << (text)

std::string small_model() {
  ModelParts p;
  p.inputs = {value("x", kFloat, {"2", "N"})};
  p.initializers = {floats("w", {3}, {1, 2, 3}), ints("s", {2}, {3, -1})};
  p.nodes = {node("Add", {"x", "w"}, {"a"}, {}, "add"), node("Reshape", {"a", "s"}, {"y"}, {}, "reshape")};
  p.outputs = {value("y", kFloat, {"3", "M"})};
  return model(p);
}

TEST(Hostile, NoModelAtAll) {
  EXPECT_HAS(read_error(std::string()), "3: the file holds no model graph");
  EXPECT_HAS(read_error(std::string("not a model")), "3: not a well-formed ONNX file");
  EXPECT_HAS(read_error(std::string(1000, '\xff')), "3: not a well-formed ONNX file");
  EXPECT_HAS(read_error(Message().number(1, 8).message(7, Message()).bytes), "4: the model imports no ai.onnx opset");
  tlm::test::expect_error(ErrorCode::kEnvironment, "no-such-file", [] { read_onnx("no-such-file.onnx"); });
  tlm::test::expect_error(ErrorCode::kEnvironment, "/tmp", [] { read_onnx("/tmp"); });
}

TEST(Hostile, TruncatedAnywhere) {
  const std::string whole = small_model();
  const OnnxOptions options{.dims = {{"N", 3}}};
  EXPECT_EQ(read_error(whole, options), "");
  for (size_t n = 0; n < whole.size(); ++n) {
    const std::string error = read_error(whole.substr(0, n), options);
    EXPECT_TRUE(error.rfind("3: ", 0) == 0 || error.rfind("4: the model imports no", 0) == 0 || error.rfind("2: ", 0) == 0)
        << n << " " << error;
  }
}

TEST(Hostile, BytesChangedAtRandom) {
  const std::string whole = small_model();
  Rng rng(7);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (int k = 0; k < 1 + round % 4; ++k) bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    accepted +=
        read_error(bytes, {.dims = {{"N", 3}}, .max_bytes = 1 << 24}).empty();  // an InternalError or a crash fails the test
  }
  EXPECT_LT(accepted, 3000);
}

TEST(Hostile, AGigabyteAnnouncedInAHundredBytes) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  ModelParts p = one_node(17, "Relu", {}, {tensor("w", kFloat, {1 << 28}).text(9, "1234")}, {"w"});
  EXPECT_HAS(read_error(p), "3: raw_data has 4 bytes; shape [268435456] needs 1073741824");
  // A length that the file does not have.
  std::string bytes = model(p);
  Message graph;
  graph.bytes += "\x3a\xff\xff\xff\xff\x03";  // field 7 (graph), 1 GiB - 1
  EXPECT_HAS(read_error(graph.bytes), "3: not a well-formed ONNX file");
  Message packed;  // float_data, packed, of 1 GiB
  packed.bytes = std::string("\x22\x80\x80\x80\x80\x04", 6);
  EXPECT_HAS(read_error(Message().number(1, 8).message(7, Message().message(5, packed)).bytes), "3: not a well-formed ONNX file");
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100 << 10) << "KiB of memory were taken";
}

TEST(Hostile, TooMuchMemoryInAll) {
  ModelParts p = one_node(17, "Relu", {value("x", kFloat, {"1099511627776"})}, {}, {"x"});
  EXPECT_HAS(read_error(p), "3: the model announces more than 17179869184 bytes of values");
  p = one_node(17, "Expand", {value("x", kFloat, {"1"})}, {ints("s", {1}, {1 << 20})}, {"x", "s"});
  EXPECT_HAS(read_error(p, {.max_bytes = 1 << 20}), "3: value 'y0' of shape [1048576] needs more than 1048576 bytes");
  EXPECT_EQ(read_error(p, {.max_bytes = 8 << 20}), "");
}

TEST(Hostile, Extents) {
  EXPECT_HAS(read_error(one_node(17, "Relu", {value("x", kFloat, {"-5"})}, {}, {"x"})),
             "3: input 'x' has the negative extent -5 in dimension 0");
  EXPECT_HAS(read_error(one_node(17, "Relu", {value("x", kFloat, {"4611686018427387904", "4"})}, {}, {"x"})), "3: ");
  EXPECT_HAS(read_error(one_node(17, "Relu", {value("x", kFloat, std::vector<std::string>(17, "1"))}, {}, {"x"})),
             "4: node 'n', operator Relu, opset 17: graph input 'x': it has 17 dimensions; at most 16");
  EXPECT_HAS(read_error(one_node(17, "Relu", {value_without_shape("x", kFloat)}, {}, {"x"})),
             "4: node 'n', operator Relu, opset 17: graph input 'x': it has no shape");
  EXPECT_HAS(read_error(one_node(17, "Relu", {Message().text(1, "x")}, {}, {"x"})),
             "4: node 'n', operator Relu, opset 17: graph input 'x': it has no type");
  const auto tile = [](int64_t n) {
    return one_node(17, "Tile", {value("x", kFloat, {"4"})}, {ints("r", {1}, {n})}, {"x", "r"});
  };
  EXPECT_HAS(read_error(tile(INT64_MAX)), "3: an extent overflows: 4 times 9223372036854775807");
  EXPECT_HAS(read_error(tile(int64_t{1} << 60)), "3: ");
  EXPECT_HAS(read_error(one_node(17, "Conv", {value("x", kFloat, {"1", "1", "8"})}, {floats("w", {1, 1, 3}, {1, 2, 3})},
                                 {"x", "w"}, {attr_ints("dilations", {INT64_MAX})})),
             "3: dilations [9223372036854775807] has an entry outside");
  EXPECT_HAS(read_error(one_node(17, "Pad", {value("x", kFloat, {"4"})}, {ints("p", {2}, {INT64_MAX, INT64_MAX})}, {"x", "p"})),
             "3: an extent overflows");
  EXPECT_HAS(read_error(one_node(17, "Range", {}, {ints("a", {}, {INT64_MIN}), ints("b", {}, {INT64_MAX}), ints("c", {}, {1})},
                                 {"a", "b", "c"})),
             "3: the range is too long");
}

TEST(Hostile, Graphs) {
  ModelParts p;
  p.inputs = {value("x", kFloat, {"2"})};
  p.outputs = {value("y", kFloat, {"2"})};
  p.nodes = {node("Add", {"x", "b"}, {"a"}, {}, "first"), node("Add", {"x", "a"}, {"b"}, {}, "second"),
             node("Relu", {"b"}, {"y"})};
  EXPECT_HAS(read_error(p), "3: the graph has a cycle\n  at: model: node 'first', operator Add");
  p.nodes = {node("Relu", {"y"}, {"y"}, {}, "self")};
  EXPECT_HAS(read_error(p), "3: the graph has a cycle\n  at: model: node 'self'");
  p.nodes = {node("Relu", {"nowhere"}, {"y"}, {}, "lost")};
  EXPECT_HAS(read_error(p), "3: input 'nowhere' is produced by no node\n  at: model: node 'lost', operator Relu, opset 17");
  p.nodes = {node("Relu", {"x"}, {"y"}), node("Neg", {"x"}, {"y"}, {}, "again")};
  EXPECT_HAS(read_error(p), "3: value 'y' is defined twice\n  at: model: node 'again'");
  p.nodes = {node("Relu", {"x"}, {"x"})};
  EXPECT_HAS(read_error(p), "3: value 'x' is defined twice");
  p.nodes = {node("Relu", {"x"}, {"y"})};
  p.initializers = {floats("w", {1}, {1}), floats("w", {1}, {2})};
  EXPECT_HAS(read_error(p), "3: value 'w' is defined twice");
  p.initializers = {floats("", {1}, {1})};
  EXPECT_HAS(read_error(p), "3: an initializer has no name");
  p.initializers.clear();
  p.inputs.push_back(p.inputs[0]);
  EXPECT_HAS(read_error(p), "3: graph input 'x' is given twice");
}

TEST(Hostile, Attributes) {
  const auto with = [](std::vector<Message> attrs) {
    return one_node(17, "Softmax", {value("x", kFloat, {"2"})}, {}, {"x"}, attrs);
  };
  EXPECT_HAS(read_error(with({attr_int("axis", 0), attr_int("axis", 0)})), "3: attribute 'axis' is given twice");
  EXPECT_HAS(read_error(with({attr_int("axis", INT64_MAX)})), "3: axis 9223372036854775807 is outside [-1,0]");
  EXPECT_HAS(read_error(with({attr_int("axis", INT64_MIN)})), "3: axis -9223372036854775808 is outside [-1,0]");
  EXPECT_HAS(read_error(with({attr_string("axis", "0")})), "3: attribute 'axis' is a string; an integer is needed");
  EXPECT_HAS(read_error(with({Message().text(1, "axis")})), "3: attribute 'axis' has no value");
  EXPECT_HAS(read_error(with({attr_graph("body", Message())})),
             "4: node 'n', operator Softmax, opset 17: control flow: attribute 'body' is a graph");
  EXPECT_HAS(read_error(with({Message().text(1, "axis").number(20, 2).text(21, "outer")})),
             "3: attribute 'axis' refers to a function's attribute");
  // The type may be left out in the oldest files.
  EXPECT_EQ(read_error(with({Message().text(1, "axis").number(3, 0)})), "");
}

TEST(Hostile, DeepNesting) {
  Message inner;
  for (int depth = 0; depth < 5000; ++depth) {
    Message graph;
    graph.message(1, Message().text(4, "If").message(5, Message().text(1, "then_branch").number(20, 5).message(6, inner)));
    inner = graph;
    if (inner.bytes.size() > (8 << 20)) break;
  }
  EXPECT_HAS(read_error(Message().number(1, 8).message(7, inner).message(8, Message().number(2, 17)).bytes),
             "3: not a well-formed ONNX file");
}

TEST(Hostile, WorkThatImportDoesNotDo) {
  // 64 Ki outputs of half a million products each would be 3·10^10 steps.
  ModelParts p = one_node(17, "Conv", {},
                          {tensor("x", kFloat, {1, 1, 589823}).text(9, std::string(589823 * 4, '\0')),
                           tensor("w", kFloat, {1, 1, 524288}).text(9, std::string(524288 * 4, '\0'))},
                          {"x", "w"});
  EXPECT_EQ(read(p).nodes.size(), 1u);
  // Ten thousand times half a megabyte.
  p = {};
  p.initializers = {ints("s", {1}, {64 << 10})};
  for (int i = 0; i < 10000; ++i) p.nodes.push_back(node("ConstantOfShape", {"s"}, {"c" + std::to_string(i)}));
  p.nodes.push_back(node("Sum", {"c0", "c9999"}, {"y"}));
  p.outputs = {Message().text(1, "y")};
  const Graph g = read(p);
  EXPECT_FALSE(g.value(g.outputs[0]).constant);
}

}  // namespace
}  // namespace tlm::ir::test
