// One test for each rule of verify(Subgraph).
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/expression_generator.h"
#include "tlm/core/error.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {
namespace {

constexpr const char* kGood = R"(subgraph "g" {
  input X: f32[4,6]
  input I: i64[4]
  internal P: f32[4,8]
  internal M: f32[4]
  output Y: f32[4,8]
  stage "pad" {
    spatial i:4, j:8
    body select(1 <= j && j < 7, X[i, j - 1], 0.0)
    store P[i, j] = acc0
  }
  stage "max" {
    spatial i:4
    reduce r:8
    body P[i, r]
    combine max
    store M[i] = acc0
  }
  stage "use" {
    spatial i:4, j:8
    body P[min(max(I[i], 0), 3), j] - M[i]
    store Y[i, j] = acc0*2.0
  }
}
)";

TEST(Verify, AcceptsTheGood) {
  EXPECT_NO_THROW(verify(parse_subgraph(kGood)));
  for (uint64_t seed = 1000; seed < 1100; ++seed) EXPECT_NO_THROW(verify(test::generate_program(seed).g));
}

void expect_refused(const Subgraph& g, const std::string& rule, const std::string& what) {
  try {
    verify(g);
    ADD_FAILURE() << what << " was accepted; expected: " << rule;
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find(rule), std::string::npos) << what << ": " << e.what();
  }
}

TEST(Verify, RefusesChangedText) {
  struct Case {
    const char* from;
    const char* to;
    const char* rule;
  };
  const Case cases[] = {
      {"input X: f32[4,6]", "input X: f32[4,6] strides [6]", "one stride for each dimension"},
      {"input X: f32[4,6]", "input X: f32[4,6] strides [7,1]", "addresses outside its buffer"},
      {"input X: f32[4,6]", "input X: f32[4,6] offset -1", "addresses outside its buffer"},
      {"input X: f32[4,6]", "input X: f32[4,6] buffer 23", "addresses outside its buffer"},
      {"input X: f32[4,6]", "input X: f32[4,6] strides [-6,1]", "addresses outside its buffer"},
      {"1 <= j && j < 7", "0 <= j && j < 7", "guarded index -1 outside 0 to 5"},
      {"1 <= j && j < 7", "1 <= j && j < 8", "guarded index 6 outside 0 to 5"},
      {"select(1 <= j && j < 7, X[i, j - 1], 0.0)", "X[i, j - 1]", "index from -1 to 6 outside 0 to 5"},
      {"select(1 <= j && j < 7, X[i, j - 1], 0.0)", "select(1 <= j && j < 7, 0.0, X[i, j - 1])", "guarded index -1"},
      {"X[i, j - 1]", "X[i]", "one index for each dimension"},
      {"X[i, j - 1]", "Y[i, j - 1]", "is read before it is written"},
      {"X[i, j - 1]", "M[i]", "is read before it is written"},
      {"X[i, j - 1]", "P[i, j]", "is read before it is written"},
      {"min(max(I[i], 0), 3)", "I[i]", "the index is not bounded"},
      {"min(max(I[i], 0), 3)", "max(I[i], 0)", "the index is not bounded"},
      {"min(max(I[i], 0), 3)", "min(max(I[i], 0), 4)", "index from 0 to 4 outside 0 to 3"},
      {"    combine max\n", "", "a combiner exactly where there is a reduction or scan axis"},
      {"reduce r:8\n    body P[i, r]", "body P[i, 0]", "a combiner exactly where there is a reduction or scan axis"},
      {"combine max", "combine tuple", "the combiner has one entry for each accumulator"},
      {"combine max", "combine tuple\n    identity 0.0\n    update max(acc0, 0.0*f32(i))",
       "a combiner uses accumulators and literals only"},
      {"combine max", "combine tuple\n    identity 0.0\n    update M[0]", "a load in a combiner"},
      {"combine max", "combine tuple\n    identity 0.0 + 1.0\n    update acc0 + acc1", "an identity is a literal"},
      {"combine max", "combine tuple\n    identity 1\n    update acc0 + acc1", "identity and combiner have the type of the body"},
      {"spatial i:4\n    reduce r:8", "reduce r:8\n    spatial i:4", "axes are spatial, then reduction, then scan"},
      {"reduce r:8", "scan r:8, q:2", "at most one scan axis"},
      {"reduce r:8", "reduce r:8\n    exclusive", "only a scan is exclusive"},
      {"store M[i] = acc0", "store M[i] = acc0*f32(r)", "a result does not depend on reduction axes"},
      {"store M[i] = acc0", "store M[i] = f64(acc0)", "the result is f64, the tensor f32"},
      {"store M[i] = acc0", "store X[i, 0] = acc0", "inputs and constants are not written"},
      {"store M[i] = acc0", "store M[0] = acc0", "its points collide"},
      {"store M[i] = acc0", "store M[i + 1] = acc0", "from 1 to 4 outside the tensor"},
      {"store M[i] = acc0", "store M[i, i] = acc0", "one index for each dimension"},
      {"store Y[i, j]", "store Y[i // 2, j]", "is not scale·axis + offset"},
      {"store Y[i, j]", "store Y[0, i + j]", "depends on two axes"},
      {"store Y[i, j]", "store Y[i, i]", "an axis indexes two dimensions"},
      {"spatial i:4, j:8\n    body P[min", "spatial i:4, j:7\n    body P[min", "28 of 32 elements are written"},
      {"M[i]\n    store Y", "f32(sqrt(I[i]))\n    store Y", "needs a float"},
      {"M[i]\n    store Y", "f32(bitand(M[i], M[i]))\n    store Y", "needs an integer"},
      {"    store Y[i, j] = acc0*2.0\n", "", "a stage has an output"},
      {"    body P[i, r]\n    combine max\n    store M[i] = acc0", "    combine tuple\n    store M[i] = 0.0",
       "a stage has a body"},
  };
  for (const Case& c : cases) {
    std::string text = kGood;
    const size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    text.replace(at, std::string(c.from).size(), c.to);
    expect_refused(parse_subgraph(text), c.rule, c.to);
  }
}

TEST(Verify, RefusesWhatTextCannotSay) {
  const auto refuse = [](const std::function<void(Subgraph&)>& change, const char* rule) {
    Subgraph g = parse_subgraph(kGood);
    change(g);
    expect_refused(g, rule, rule);
  };
  const auto node = [](ExprNode n) { return Expr(std::make_shared<const ExprNode>(std::move(n))); };
  refuse([](Subgraph& g) { g.stages[1].body[0] = Expr(); }, "empty expression");
  refuse([](Subgraph& g) { g.stages[1].result.push_back(make_float(0)); }, "one result for each output");
  refuse([](Subgraph& g) { g.stages[1].outputs[0].tensor = 77; }, "output tensor 77 does not exist");
  refuse([](Subgraph& g) { g.stages[1].body[0] = make_load(-1, DType::kF32, {}); }, "load of tensor -1");
  refuse([](Subgraph& g) { g.stages[1].body[0] = make_load(2, DType::kF64, {make_var(0), make_var(1)}); }, "type");
  refuse([](Subgraph& g) { g.stages[1].body[0] = make_cast(make_var(7), DType::kF32); }, "axis 7 does not exist");
  refuse([](Subgraph& g) { g.stages[1].result[0] = make_acc(1, DType::kF32); }, "accumulator 1 does not exist");
  refuse([](Subgraph& g) { g.stages[1].result[0] = make_acc(0, DType::kF64); }, "an accumulator has the type of its body");
  refuse([](Subgraph& g) { g.stages[1].body[0] = make_acc(0, DType::kF32); }, "accumulators are for results and combiners");
  refuse([](Subgraph& g) { g.stages[1].axes[0].extent = -1; }, "negative extent");
  refuse([](Subgraph& g) { g.tensors[3].shape[0] = -1; }, "negative extent");
  refuse(
      [&](Subgraph& g) {
        ExprNode n;
        n.op = Op::kLocal;
        n.dtype = DType::kF32;
        n.id = 0;
        g.stages[1].body[0] = node(n);
      },
      "local belongs to loop IR");
  refuse(
      [&](Subgraph& g) {
        ExprNode n = *g.stages[2].body[0];
        n.args.pop_back();
        g.stages[2].body[0] = node(n);
      },
      "wrong number of arguments");
  refuse(
      [&](Subgraph& g) {
        ExprNode n = *g.stages[2].body[0];
        n.args[1] = make_float(1, DType::kF64);
        g.stages[2].body[0] = node(n);
      },
      "arguments have different types");
  refuse(
      [&](Subgraph& g) {
        ExprNode n = *g.stages[2].body[0];
        n.lanes = 4;
        g.stages[2].body[0] = node(n);
      },
      "stages have no vectors");
}

TEST(Verify, WritersOfOneTensor) {
  const auto halves = [](const std::string& first, const std::string& second, int e1, int e2) {
    return parse_subgraph(
        "subgraph \"concat\" {\n  input X: f32[9]\n  output Y: f32[9]\n  stage \"a\" {\n    spatial i:" + std::to_string(e1) +
        "\n    body X[i]\n    store Y[" + first + "] = acc0\n  }\n  stage \"b\" {\n    spatial i:" + std::to_string(e2) +
        "\n    body X[i]\n    store Y[" + second + "] = acc0\n  }\n}\n");
  };
  EXPECT_NO_THROW(verify(halves("i", "i + 4", 4, 5)));
  EXPECT_NO_THROW(verify(halves("i*2", "i*2 + 1", 5, 4)));
  EXPECT_NO_THROW(verify(halves("i*-1 + 3", "i + 4", 4, 5)));
  expect_refused(halves("i", "i + 3", 4, 5), "write the same element", "overlap");
  expect_refused(halves("i", "i + 4", 4, 4), "8 of 9 elements are written", "gap");
  expect_refused(halves("i*2", "i*2", 5, 4), "write the same element", "the same residues");
}

TEST(Verify, ZeroExtentsAreLegal) {
  EXPECT_NO_THROW(verify(parse_subgraph(
      "subgraph \"none\" {\n  input X: f32[0,4]\n  output Y: f32[0,4]\n  output S: f32[4]\n  stage \"a\" {\n    spatial i:0, "
      "j:4\n"
      "    body X[i, j]\n    store Y[i, j] = acc0\n  }\n  stage \"b\" {\n    spatial j:4\n    reduce i:0\n    body X[i, j]\n"
      "    combine sum\n    store S[j] = acc0\n  }\n}\n")));
}

}  // namespace
}  // namespace tlm::ir
