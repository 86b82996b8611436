// Tiles that walk along rows of the input across which their vectors lie.
#include "tlm/codegen/lower/transpose_loads.h"

#include <gtest/gtest.h>

#include "tests/codegen_lower/plan_builder.h"
#include "tests/codegen_lower/workloads.h"
#include "tests/support/run_kernel.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/lower/rewrite.h"

namespace tlm::test {
namespace {

using namespace ir;

// Elements that the kernel's source loads one by one.
int scalar_loads(const Kernel& k) {
  int count = 0;
  for (const Phase& p : k.phases)
    codegen::visit_exprs(p.body,
                         [&](const Expr& e) { visit(e, [&](const Expr& n) { count += n->op == Op::kLoad && n->lanes == 1; }); });
  return count;
}

Target avx2() { return named_target("x86-64-v3"); }

TEST(TransposeLoads, FourByFour) {
  const Subgraph g = transposition(16, 24);
  const auto loads = [&](int lanes, int64_t rows) {
    return scalar_loads(codegen::lower(g, PlanBuilder(g).vector(0, 1, lanes, 1).tile(0, 0, rows).build(), avx2()));
  };
  EXPECT_EQ(loads(8, 1), 8);
  EXPECT_EQ(loads(8, 2), 16) << "two neighbours are no block";
  EXPECT_EQ(loads(8, 4), 0);
  EXPECT_EQ(loads(4, 4), 0);
  EXPECT_EQ(loads(8, 8), 0);
  EXPECT_EQ(loads(2, 4), 8) << "no two-lane rows";
}

// A reduction that is unrolled by four turns the rows of its operand.
TEST(TransposeLoads, InReductions) {
  const Subgraph g = parse_subgraph(
      "subgraph \"scores\" {\n  input A: f32[6,16]\n  input B: f32[16,16]\n  output Y: f32[6,16]\n  stage \"scores\" {\n"
      "    spatial i:6, j:16\n    reduce k:16\n    body A[i, k]*B[j, k]\n    combine sum\n    store Y[i, j] = acc0\n  }\n}\n");
  const auto gathered = [&](int64_t unroll) {
    const auto plan = PlanBuilder(g).vector(0, 1, 8, 1).tile(0, 0, 2).tile(0, 2, unroll).unroll_order(0, {2, 0, 1}).build();
    const Kernel k = codegen::lower(g, plan, avx2());
    int count = 0;
    for (const Phase& p : k.phases)
      codegen::visit_exprs(p.body, [&](const Expr& e) {
        visit(e, [&](const Expr& n) { count += n->op == Op::kVector && n->args[0]->op == Op::kLoad; });
      });
    return count;
  };
  EXPECT_GT(gathered(1), 0);
  EXPECT_EQ(gathered(4), 0);
}

// What one statement loads in an arm of a select only and a later one always is turned after the former.
TEST(TransposeLoads, NothingIsReadBeforeItIsComputed) {
  if (const auto missing = missing_features(avx2().features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << missing[0];
  const Subgraph g = parse_subgraph(
      "subgraph \"two\" {\n  input X: f32[16,8]\n  input M: f32[8,16]\n  output Y: f32[8,16]\n  output Z: f32[8,16]\n  stage \"two\" {\n"
      "    spatial j:8, i:16\n    body select(M[j, i] < 0.0, X[i, j], 1.0)\n    body X[i, j]\n    store Y[j, i] = acc0\n"
      "    store Z[j, i] = acc1\n  }\n}\n");
  const CompiledKernels compiled({codegen::lower(g, PlanBuilder(g).vector(0, 1, 8, 1).tile(0, 0, 4).build(), avx2())}, avx2());
  Rng rng(3);
  std::vector<Tensor> bound = random_bound(g, rng, true);
  EXPECT_EQ(compiled.run(0, g, bound, rng), "");
  EXPECT_EQ(compare_with_interpreter(g, bound, true), "");
}

TEST(TransposeLoads, AllTypesAndRemainders) {
  if (const auto missing = missing_features(avx2().features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << missing[0];
  std::vector<Kernel> kernels;
  std::vector<Subgraph> graphs;
  for (const char* type : {"f32", "f64", "f16", "i8", "i32", "i64", "bool"}) {
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{16, 24}, {13, 27}, {7, 5}}) {
      for (const int64_t tile : {4, 6, 8}) {
        graphs.push_back(transposition(rows, columns, type));
        const Subgraph& g = graphs.back();
        const int lanes = std::string(type) == "f64" || std::string(type) == "i64" ? 4 : 8;
        kernels.push_back(codegen::lower(g, PlanBuilder(g).vector(0, 1, lanes, 1).tile(0, 0, tile).build(), avx2()));
      }
    }
  }
  const CompiledKernels compiled(kernels, avx2());
  Rng rng(3);
  for (size_t i = 0; i < graphs.size(); ++i) {
    std::vector<Tensor> bound = random_bound(graphs[i], rng, true);
    std::string wrong = compiled.run(i, graphs[i], bound, rng.split(i));
    if (wrong.empty()) wrong = compare_with_interpreter(graphs[i], bound, true);
    EXPECT_EQ(wrong, "") << print(graphs[i]);
  }
}

}  // namespace
}  // namespace tlm::test
