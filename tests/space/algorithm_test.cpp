// Rules that replace a stage by other stages: what they make, and that it computes the same.
#include "tlm/space/rules/algorithm.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/expression_generator.h"
#include "tests/support/run_kernel.h"
#include "tlm/ir/tensor/interpret.h"

namespace tlm::space::test {
namespace {

using ir::Subgraph;

Target target() { return named_target("x86-64-v3"); }

const AlgorithmRule& rule(const std::string& name) {
  for (const AlgorithmRule& r : algorithm_rules())
    if (r.name == name) return r;
  throw std::out_of_range(name);
}

std::vector<int64_t> parameters(const std::string& name, const Subgraph& g, int stage) {
  const Target t = target();
  return rule(name).parameters(Context{g, t}, stage);
}

Subgraph parse(const std::string& text) {
  Subgraph g = ir::parse_subgraph(text);
  ir::verify(g);
  return g;
}

// Outputs after the rewriting, on small integers: bit for bit those before.
void expect_same(const Subgraph& before, const Subgraph& after, Rng& rng) {
  ASSERT_NO_THROW(ir::verify(after)) << ir::print(after);
  std::vector<Tensor> expected = tlm::test::random_bound(before, rng, true), actual = expected;
  actual.resize(after.tensors.size());
  ir::interpret(before, expected);
  ir::interpret(after, actual);
  for (size_t t = 0; t < before.tensors.size(); ++t) {
    if (before.tensors[t].role != ir::TensorRole::kOutput) continue;
    for (int64_t i = 0; i < expected[t].size(); ++i)
      ASSERT_EQ(actual[t].at_f64(i), expected[t].at_f64(i)) << "element " << i << "\n" << ir::print(after);
  }
}

constexpr const char* kSum = R"(subgraph "g" {
  input X: f32[37,700] strides [1,37]
  output Y: f32[37]
  stage "sum" {
    spatial a:37
    reduce r:700
    body X[a, r]
    combine sum
    store Y[a] = acc0*2.0
  }
}
)";

TEST(SplitReduction, PartsAndTheirSum) {
  const Subgraph g = parse(kSum);
  EXPECT_EQ(parameters("split", g, 0), (std::vector<int64_t>{2, 4, 8, 16, 32}));
  EXPECT_EQ(ir::print(rule("split").apply(g, 0, 8)), R"(subgraph "g" {
  input X: f32[37,700] strides [1,37]
  output Y: f32[37]
  internal sum.parts: f32[8,37]
  stage "sum.parts" {
    spatial part:8, a:37
    reduce r:88
    body select(part*88 + r < 700, X[a, part*88 + r], 0.0)
    combine sum
    store sum.parts[part, a] = acc0
  }
  stage "sum" {
    spatial a:37
    reduce part:8
    body sum.parts[part, a]
    combine sum
    store Y[a] = acc0*2.0
  }
}
)");
}

TEST(SplitReduction, WhereItApplies) {
  const auto sum = [](const std::string& points, const std::string& terms) {
    return parse("subgraph \"g\" {\n  input X: f32[" + points + "," + terms + "]\n  output Y: f32[" + points +
                 "]\n  stage \"s\" {\n    spatial a:" + points + "\n    reduce r:" + terms +
                 "\n    body X[a, r]\n    combine sum\n    store Y[a] = acc0\n  }\n}\n");
  };
  EXPECT_EQ(parameters("split", sum("1024", "64"), 0), (std::vector<int64_t>{2, 4, 8, 16}));
  EXPECT_EQ(parameters("split", sum("1", "100000"), 0).size(), 5u);
  EXPECT_EQ(parameters("split", sum("1024", "33"), 0), (std::vector<int64_t>{2, 4})) << "parts of fewer than four, or empty ones";
  EXPECT_EQ(parameters("split", sum("9000", "64"), 0).size(), 0u) << "points enough";
  EXPECT_EQ(parameters("split", sum("1024", "16"), 0).size(), 0u) << "short sums";
  EXPECT_EQ(parameters("split", sum("16", "64"), 0).size(), 0u) << "little work";
  const Subgraph ordered = parse(
      "subgraph \"g\" {\n  input X: f32[64,1000]\n  output Y: f32[64]\n  stage \"s\" {\n    spatial a:64\n    reduce r:1000\n    "
      "body X[a, r]\n"
      "    combine tuple not_associative not_commutative\n    identity 0.0\n    update acc0*0.5 + acc1\n    store Y[a] = acc0\n  "
      "}\n}\n");
  EXPECT_EQ(parameters("split", ordered, 0).size(), 0u);
}

TEST(SplitReduction, ComputesTheSame) {
  Rng rng(1);
  const std::map<std::string, std::string> stages = {
      {"max", "    body X[a, b, r, q]\n    combine max\n    store Y[b, a] = acc0 + Z[a]\n"},
      {"sum", "    body X[a, b, r, q]*Z[a]\n    combine sum\n    store Y[b, a] = acc0\n"},
      {"tuple",
       "    body X[a, b, r, q]\n    body f32(r*5 + q)\n    combine tuple\n    identity -inf\n    identity 100000.0\n"
       "    update max(acc0, acc2)\n    update select(acc2 < acc0 || (acc2 == acc0 && acc1 <= acc3), acc1, acc3)\n"
       "    store Y[b, a] = acc1\n"}};
  for (const auto& [name, stage] : stages) {
    const Subgraph g = parse(
        "subgraph \"g\" {\n  input X: f32[9,4,151,5]\n  input Z: f32[9]\n  output Y: f32[4,9] strides [1,4]\n  stage \"s\" {\n   "
        " spatial a:9, b:4\n"
        "    reduce r:151, q:5\n" +
        stage + "  }\n}\n");
    const std::vector<int64_t> all = parameters("split", g, 0);
    EXPECT_EQ(all.size(), 4u) << name;
    for (int64_t parts : all) expect_same(g, rule("split").apply(g, 0, parts), rng);
  }
}

constexpr const char* kScores = R"(subgraph "g" {
  input Q: f32[16,3,8]
  input K: f32[20,3,8]
  output Y: f32[3,16,20]
  stage "scores" {
    spatial h:3, i:16, j:20
    reduce d:8
    body Q[i, h, d]*K[j, h, d]
    combine sum
    store Y[h, i, j] = acc0*0.5
  }
}
)";

TEST(PackOperand, ACopyThatRunsAlongTheVector) {
  const Subgraph g = parse(kScores);
  EXPECT_EQ(parameters("pack", g, 0), (std::vector<int64_t>{2}));
  EXPECT_EQ(ir::print(rule("pack").apply(g, 0, 2)), R"(subgraph "g" {
  input Q: f32[16,3,8]
  input K: f32[20,3,8]
  output Y: f32[3,16,20]
  internal K.turned: f32[3,8,20]
  stage "scores.turn" {
    spatial h:3, d:8, j:20
    body K[j, h, d]
    store K.turned[h, d, j] = acc0
  }
  stage "scores" {
    spatial h:3, i:16, j:20
    reduce d:8
    body Q[i, h, d]*K.turned[h, d, j]
    combine sum
    store Y[h, i, j] = acc0*0.5
  }
}
)");
}

TEST(PackOperand, WhereItApplies) {
  const auto product = [](const std::string& right, const std::string& left) {
    return parse("subgraph \"g\" {\n  input A: f32[16,8]\n  " + right +
                 "\n  output Y: f32[16,20]\n  stage \"s\" {\n    spatial i:16, j:20\n"
                 "    reduce k:8\n    body A[i, k]*" +
                 left + "\n    combine sum\n    store Y[i, j] = acc0\n  }\n}\n");
  };
  EXPECT_EQ(parameters("pack", product("input B: f32[20,8]", "B[j, k]"), 0), (std::vector<int64_t>{1}));
  EXPECT_EQ(parameters("pack", product("input B: f32[8,20]", "B[k, j]"), 0).size(), 0u) << "it runs along the vector already";
  EXPECT_EQ(parameters("pack", product("constant B: f32[20,8]", "B[j, k]"), 0).size(), 0u) << "constants are packed beforehand";
  EXPECT_EQ(parameters("pack", product("input B: f32[27,8]", "B[j + k, k]"), 0).size(), 0u) << "a copy would be larger";
  EXPECT_EQ(parameters("pack", product("input B: f32[20,5]", "select(k < 5, B[j, k], 0.0)"), 0).size(), 0u) << "a copy would read beyond it";
}

TEST(PackOperand, ComputesTheSame) {
  Rng rng(2);
  const Subgraph g = parse(kScores);
  expect_same(g, rule("pack").apply(g, 0, 2), rng);
  int applied = 0;
  tlm::test::GeneratorOptions options;
  options.mode = tlm::test::GeneratorOptions::Mode::kExact;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Subgraph p = tlm::test::generate_program(seed, options).g;
    for (int s = 0; s < static_cast<int>(p.stages.size()); ++s) {
      for (int64_t axis : parameters("pack", p, s)) {
        expect_same(p, rule("pack").apply(p, s, axis), rng);
        ++applied;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(applied, 2);
}

}  // namespace
}  // namespace tlm::space::test
