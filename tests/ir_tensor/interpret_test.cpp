// The oracle itself, against values worked out by hand or by plain loops.
#include "tlm/ir/tensor/interpret.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/expression_generator.h"
#include "tlm/core/error.h"
#include "tlm/core/rng.h"

namespace tlm::ir {
namespace {

std::vector<double> run(const std::string& text, const std::vector<std::vector<double>>& inputs, bool wide = false) {
  const Subgraph g = parse_subgraph(text);
  verify(g);
  std::vector<Tensor> bound(g.tensors.size());
  size_t next = 0;
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    if (g.tensors[t].role != TensorRole::kInput && g.tensors[t].role != TensorRole::kConstant) continue;
    bound[t] = Tensor(g.tensors[t].dtype, g.tensors[t].shape);
    for (int64_t i = 0; i < bound[t].size(); ++i) bound[t].set_f64(i, inputs[next][static_cast<size_t>(i)]);
    ++next;
  }
  interpret(g, bound, wide);
  std::vector<double> out;
  for (size_t t = 0; t < g.tensors.size(); ++t)
    if (g.tensors[t].role == TensorRole::kOutput)
      for (int64_t i = 0; i < bound[t].size(); ++i) out.push_back(bound[t].at_f64(i));
  return out;
}

std::string program(const std::string& decls, const std::string& stage) {
  return "subgraph \"p\" {\n" + decls + "  stage \"s\" {\n" + stage + "  }\n}\n";
}

using V = std::vector<double>;

TEST(Interpret, ScansInclusiveAndExclusive) {
  const std::string decls = "  input X: i32[2,3]\n  output Y: i32[2,3]\n";
  const std::string rest = "    body X[i, t]\n    combine sum\n    store Y[i, t] = acc0\n";
  EXPECT_EQ(run(program(decls, "    spatial i:2\n    scan t:3\n" + rest), {{1, 2, 3, 4, 5, 6}}), (V{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(run(program(decls, "    spatial i:2\n    scan t:3\n    exclusive\n" + rest), {{1, 2, 3, 4, 5, 6}}),
            (V{0, 1, 3, 0, 4, 9}));
}

TEST(Interpret, ScanOverReductions) {
  EXPECT_EQ(run(program("  input X: f32[3,2]\n  output Y: f32[3]\n",
                        "    reduce r:2\n    scan t:3\n    body X[t, r]\n    combine sum\n    store Y[t] = acc0*10.0 + f32(t)\n"),
                {{1, 2, 3, 4, 5, 6}}),
            (V{30, 101, 212}));
}

TEST(Interpret, EmptyReductionIsTheIdentity) {
  EXPECT_EQ(run(program("  input X: f32[2,0]\n  output Y: f32[2]\n",
                        "    spatial i:2\n    reduce r:0\n    body X[i, r]\n    combine sum\n    store Y[i] = acc0 + 1.0\n"),
                {{}}),
            (V{1, 1}));
}

TEST(Interpret, ArgMaxTakesTheFirst) {
  EXPECT_EQ(run(program("  input X: f32[2,4]\n  output V: f32[2]\n  output I: i64[2]\n",
                        "    spatial i:2\n    reduce r:4\n    body X[i, r]\n    body r\n    combine tuple\n    identity -inf\n   "
                        " identity 9223372036854775807\n"
                        "    update select(acc0 < acc2 || acc0 == acc2 && acc3 < acc1, acc2, acc0)\n"
                        "    update select(acc0 < acc2 || acc0 == acc2 && acc3 < acc1, acc3, acc1)\n    store V[i] = acc0\n    "
                        "store I[i] = acc1\n"),
                {{3, 7, 7, 1, -5, -5, -9, -8}}),
            (V{7, -5, 1, 0}));
}

TEST(Interpret, TupleUpdatesSeeTheOldAccumulators) {
  // Fibonacci: (a, b) becomes (b, a + b). The accumulators are swapped, which a wrong order of moves would break.
  EXPECT_EQ(run(program("  input X: i64[6]\n  output Y: i64[6]\n",
                        "    scan t:6\n    body X[t]\n    body X[t]\n    combine tuple not_associative not_commutative\n    "
                        "identity 0\n    identity 1\n"
                        "    update acc1 + acc2*0\n    update acc0 + acc1\n    store Y[t] = acc0\n"),
                {{0, 0, 0, 0, 0, 0}}),
            (V{1, 1, 2, 3, 5, 8}));
  EXPECT_EQ(run(program("  input X: i64[3]\n  output Y: i64[3]\n",
                        "    scan t:3\n    body X[t]\n    body X[t]\n    combine tuple not_associative not_commutative\n    "
                        "identity 5\n    identity 9\n"
                        "    update acc1\n    update acc0\n    store Y[t] = acc0\n"),
                {{0, 0, 0}}),
            (V{9, 5, 9}));
}

TEST(Interpret, OnlyTheChosenArmLoads) {
  EXPECT_EQ(run(program("  input X: f32[2]\n  input I: i64[3]\n  output Y: f32[3]\n",
                        "    spatial i:3\n    body select(I[i] < 2, X[min(max(I[i], 0), 1)], -1.0)\n    store Y[i] = acc0\n"),
                {{10, 20}, {1, 7, -3}}),
            (V{20, -1, 10}));
}

TEST(Interpret, IndicesOutsideAreRefused) {
  Subgraph g = parse_subgraph(
      program("  input X: f32[2]\n  output Y: f32[3]\n", "    spatial i:3\n    body X[i]\n    store Y[i] = acc0\n"));
  std::vector<Tensor> bound = {Tensor(DType::kF32, {2}), Tensor()};
  EXPECT_THROW(interpret(g, bound), InternalError);
  bound = {Tensor(DType::kF32, {3}), Tensor()};
  EXPECT_THROW(interpret(g, bound), InternalError) << "shape differs from the declaration";
}

TEST(Interpret, WideSums) {
  const std::string text = program("  input X: f32[1]\n  output Y: f32[]\n",
                                   "    reduce r:1000000\n    body X[0]\n    combine sum\n    store Y[] = acc0\n");
  const double tenth = static_cast<double>(0.1f);
  EXPECT_EQ(run(text, {{0.1}}, true)[0], static_cast<double>(static_cast<float>(1e6 * tenth)));
  float narrow = 0;
  for (int i = 0; i < 1000000; ++i) narrow += 0.1f;
  EXPECT_EQ(run(text, {{0.1}})[0], static_cast<double>(narrow));
  EXPECT_GT(std::fabs(narrow - 1e5), 100);
}

TEST(Interpret, HalfStorageRoundsOnce) {
  EXPECT_EQ(run(program("  input X: f16[3]\n  output Y: f16[3]\n",
                        "    spatial i:3\n    body f16(f32(X[i])*1.001 + 0.5)\n    store Y[i] = acc0\n"),
                {{1, 2048, 0.1}}),
            (V{1.5009765625, 2050, 0.60009765625}));
}

// Points agree with the whole, through internal tensors, several writers and scans, and errors bound what float sums may differ
// by.
TEST(InterpretPoints, AgreeWithTheWhole) {
  int64_t checked = 0;
  for (uint64_t seed = 5000; seed < 5150; ++seed) {
    const test::GeneratedProgram p = test::generate_program(seed);
    std::vector<Tensor> whole = p.inputs_and_constants;
    interpret(p.g, whole, true);
    Rng rng(seed);
    for (size_t t = 0; t < p.g.tensors.size(); ++t) {
      if (p.g.tensors[t].role == TensorRole::kInput || p.g.tensors[t].role == TensorRole::kConstant || whole[t].size() == 0)
        continue;
      std::vector<int64_t> positions;
      for (int i = 0; i < 20; ++i) positions.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(whole[t].size()))));
      const std::vector<double> values = interpret_points(p.g, p.inputs_and_constants, static_cast<int>(t), positions);
      for (size_t i = 0; i < positions.size(); ++i) {
        const double want = whole[t].at_f64(positions[i]);
        ASSERT_TRUE(values[i] == want || (std::isnan(values[i]) && std::isnan(want)))
            << seed << ": " << values[i] << " and " << want;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 3000);
}

TEST(InterpretPoints, ErrorScaleOfASum) {
  const Subgraph g =
      parse_subgraph(program("  input X: f32[3,100]\n  output Y: f32[3]\n",
                             "    spatial i:3\n    reduce r:100\n    body X[i, r]\n    combine sum\n    store Y[i] = acc0\n"));
  std::vector<Tensor> bound = {test::random_tensor(1, DType::kF32, {3, 100}, false), Tensor()};
  std::vector<double> error;
  const std::vector<int64_t> positions = {2, 0};
  interpret_points(g, bound, 1, positions, &error);
  ASSERT_EQ(error.size(), 2u);
  for (size_t k = 0; k < 2; ++k) {
    double sum = 0;
    for (int64_t r = 0; r < 100; ++r) sum += std::fabs(bound[0].at_f64(positions[k] * 100 + r));
    EXPECT_DOUBLE_EQ(error[k], 108 * 0x1p-24 * sum);
  }
}

TEST(InterpretPoints, ErrorsTravelThroughStages) {
  const char* text = R"(subgraph "softmax" {
  input X: f32[2,64]
  internal M: f32[2]
  internal S: f32[2]
  output Y: f32[2,64]
  output A: i64[2]
  stage "max" {
    spatial i:2
    reduce r:64
    body X[i, r]
    combine max
    store M[i] = acc0
  }
  stage "sum" {
    spatial i:2
    reduce r:64
    body exp(X[i, r] - M[i])
    combine sum
    store S[i] = acc0
  }
  stage "divide" {
    spatial i:2, j:64
    body exp(X[i, j] - M[i]) / S[i]
    store Y[i, j] = acc0
  }
  stage "floor" {
    spatial i:2
    body i64(S[i]*0.0 + 3.0)
    store A[i] = acc0
  }
}
)";
  const Subgraph g = parse_subgraph(text);
  verify(g);
  std::vector<Tensor> bound(g.tensors.size());
  bound[0] = test::random_tensor(3, DType::kF32, {2, 64}, false);
  std::vector<int64_t> positions(128);
  std::iota(positions.begin(), positions.end(), 0);
  std::vector<double> error;
  const std::vector<double> y = interpret_points(g, bound, 3, positions, &error);
  double total = 0;
  for (size_t i = 0; i < 64; ++i) {
    total += y[i];
    EXPECT_GT(error[i], y[i] * 0x1p-24);
    EXPECT_LT(error[i], y[i] * 1e-4);
  }
  EXPECT_NEAR(total, 1, 1e-6);
  // 3 ± a little truncates to 2 or 3.
  const std::vector<int64_t> first = {0};
  interpret_points(g, bound, 4, first, &error);
  EXPECT_GE(error[0], 1);
}

}  // namespace
}  // namespace tlm::ir
