// The row evaluator against the interpreter: two implementations that share no code but the builders.
#include "tlm/ir/tensor/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/expression_generator.h"
#include "tlm/core/error.h"
#include "tlm/ir/tensor/interpret.h"

namespace tlm::ir {
namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void compare(const Subgraph& g, const std::vector<Tensor>& inputs, bool exact, const std::string& what) {
  std::vector<Tensor> slow = inputs, fast = inputs;
  interpret(g, slow);
  evaluate(g, fast);
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    if (g.tensors[t].role != TensorRole::kOutput) continue;
    ASSERT_EQ(fast[t].shape(), slow[t].shape());
    ASSERT_EQ(fast[t].dtype(), slow[t].dtype());
    std::vector<double> wide, error;
    if (!exact) {
      std::vector<int64_t> all(static_cast<size_t>(slow[t].size()));
      std::iota(all.begin(), all.end(), 0);
      wide = interpret_points(g, inputs, static_cast<int>(t), all, &error);
    }
    for (int64_t i = 0; i < slow[t].size(); ++i) {
      const double a = slow[t].at_f64(i), b = fast[t].at_f64(i);
      const auto k = static_cast<size_t>(i);
      ASSERT_TRUE(same(a, b) || (!exact && std::fabs(b - wide[k]) <= error[k]))
          << what << ", tensor " << t << " [" << i << "]: " << a << " and " << b
          << (exact ? "" : " wide " + std::to_string(wide[k]) + " ± " + std::to_string(error[k])) << "\n"
          << print(g);
    }
  }
}

TEST(Evaluate, GeneratedProgramsAgreeWithTheInterpreter) {
  for (uint64_t seed = 20000; seed < 20500; ++seed) {
    const test::GeneratedProgram p = test::generate_program(seed);
    compare(p.g, p.inputs_and_constants, p.exact, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

std::vector<Tensor> bind(const Subgraph& g, uint64_t seed) {
  std::vector<Tensor> bound(g.tensors.size());
  for (size_t t = 0; t < g.tensors.size(); ++t)
    if (g.tensors[t].role == TensorRole::kInput || g.tensors[t].role == TensorRole::kConstant)
      bound[t] = test::random_tensor(seed + t, g.tensors[t].dtype, g.tensors[t].shape, true);
  return bound;
}

// Extents around the row length, so that rows are cut; every kind of access; selects whose condition varies along a row.
TEST(Evaluate, LongRows) {
  for (int64_t n : {1, 2, 1023, 1024, 1025, 5000}) {
    const std::string e = std::to_string(n), twice = std::to_string(2 * n);
    const Subgraph g = parse_subgraph(
        "subgraph \"rows\" {\n  input X: f32[" + twice + "]\n  input Z: i32[" + e + "]\n  output Y: f32[" + e +
        "]\n  output S: f32[]\n  output T: i32[" + e + ",3]\n  stage \"map\" {\n    spatial i:" + e +
        "\n    body select(Z[i] < 1:i32, X[i*2] + X[i*-1 + " + std::to_string(n - 1) +
        "], select(3 <= i, X[i - 3], 0.5))*X[i // 7]\n    store Y[i] = acc0\n  }\n  stage \"sum\" {\n    reduce r:" + twice +
        "\n    body abs(X[r])\n    combine sum\n    store S[] = acc0\n  }\n  stage \"wide\" {\n    spatial i:" + e +
        ", j:3\n    body Z[i]*i32(i*5 % 11 + j)\n    store T[i, j] = acc0\n  }\n}\n");
    verify(g);
    compare(g, bind(g, 4), true, e);
    if (HasFatalFailure()) return;
  }
}

TEST(Evaluate, ReductionsOverRows) {
  // Few outputs, long reductions: partial accumulators, folded at the end, of every kind.
  for (const char* combine : {"sum", "max", "min"})
    for (int64_t n : {1, 3, 1000, 1024, 1999, 4100}) {
      const std::string e = std::to_string(n);
      const Subgraph g =
          parse_subgraph("subgraph \"r\" {\n  input X: f32[2," + e +
                         "]\n  output Y: f32[2]\n  stage \"s\" {\n    spatial i:2\n    reduce r:" + e +
                         "\n    body X[i, r]*X[i, r]\n    combine " + combine + "\n    store Y[i] = acc0\n  }\n}\n");
      compare(g, bind(g, 8), true, combine + e);
      if (HasFatalFailure()) return;
    }
}

TEST(Evaluate, Convolution) {
  const Subgraph g = parse_subgraph(R"(subgraph "conv" {
  input X: f32[2,16,14,14]
  constant W: f32[24,16,3,3]
  internal P: f32[2,16,16,16]
  output Y: f32[2,24,7,7]
  stage "pad" {
    spatial n:2, c:16, h:16, w:16
    body select(1 <= h && h < 15 && (1 <= w && w < 15), X[n, c, h - 1, w - 1], 0.0)
    store P[n, c, h, w] = acc0
  }
  stage "conv" {
    spatial n:2, co:24, h:7, w:7
    reduce ci:16, r:3, s:3
    body P[n, ci, h*2 + r, w*2 + s]*W[co, ci, r, s]
    combine sum
    store Y[n, co, h, w] = max(acc0, 0.0)
  }
}
)");
  verify(g);
  std::vector<Tensor> bound = bind(g, 2);
  compare(g, bound, true, "conv");
  evaluate(g, bound);
  EXPECT_EQ(bound[2].size(), 0) << "internal tensors are freed";
  EXPECT_EQ(bound[3].size(), 2 * 24 * 7 * 7);
}

TEST(Evaluate, GatherIsChecked) {
  const Subgraph g = parse_subgraph(
      "subgraph \"g\" {\n  input X: f32[5]\n  input I: i64[3]\n  output Y: f32[3]\n  stage \"s\" {\n    spatial i:3\n    body "
      "X[I[i]]\n    store Y[i] = acc0\n  }\n}\n");
  std::vector<Tensor> bound(3);
  bound[0] = test::random_tensor(1, DType::kF32, {5}, true);
  const std::vector<int64_t> good = {4, 0, 2}, bad = {4, 5, 2};
  bound[1] = Tensor::vector_i64(good);
  EXPECT_NO_THROW(evaluate(g, bound));
  EXPECT_EQ(bound[2].at_f64(0), bound[0].at_f64(4));
  bound[1] = Tensor::vector_i64(bad);
  EXPECT_THROW(evaluate(g, bound), InternalError);
}

TEST(Evaluate, EmptyTensors) {
  const Subgraph g = parse_subgraph(
      "subgraph \"none\" {\n  input X: f32[0,4]\n  output Y: f32[0,4]\n  output S: f32[4]\n  stage \"a\" {\n    spatial i:0, "
      "j:4\n"
      "    body X[i, j]\n    store Y[i, j] = acc0\n  }\n  stage \"b\" {\n    spatial j:4\n    reduce i:0\n    body X[i, j]\n"
      "    combine prod\n    store S[j] = acc0\n  }\n}\n");
  std::vector<Tensor> bound(3);
  bound[0] = Tensor(DType::kF32, {0, 4});
  evaluate(g, bound);
  EXPECT_EQ(bound[1].shape(), (Shape{0, 4}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bound[2].at_f64(i), 1);
}

TEST(Evaluate, InputsMustBeBound) {
  const Subgraph g = parse_subgraph(
      "subgraph \"g\" {\n  input X: f32[5]\n  output Y: f32[5]\n  stage \"s\" {\n    spatial i:5\n    body X[i]\n    store Y[i] "
      "= acc0\n  }\n}\n");
  std::vector<Tensor> bound(2);
  EXPECT_THROW(evaluate(g, bound), InternalError);
  bound[0] = Tensor(DType::kF64, {5});
  EXPECT_THROW(evaluate(g, bound), InternalError);
}

}  // namespace
}  // namespace tlm::ir
