// Stages under plans written by hand: compiled, run in guarded memory, compared with the interpreter.
#include <gtest/gtest.h>

#include "tests/codegen_lower/plan_builder.h"
#include "tests/codegen_lower/workloads.h"
#include "tests/support/run_kernel.h"
#include "tlm/codegen/lower/lower.h"

namespace tlm::test {
namespace {

using space::Tail;

struct Case {
  std::string name;
  ir::Subgraph g;
  space::SchedulePlan plan;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  auto add = [&](std::string name, const ir::Subgraph& g, const PlanBuilder& p) {
    out.push_back({std::move(name), g, p.build()});
  };
  {
    const ir::Subgraph g = matmul(13, 37, 19);
    add("matmul plain", g, PlanBuilder(g));
    add("matmul 6x2", g, PlanBuilder(g).vector(0, 1, 8, 2).tile(0, 0, 6).parallel(0, 2));
    add("matmul unroll 4", g, PlanBuilder(g).vector(0, 1, 8, 2).tile(0, 0, 4).tile(0, 2, 4).unroll_order(0, {2, 0, 1}));
    add("matmul balanced", g, PlanBuilder(g).vector(0, 1, 8, 1).tile(0, 0, 6, Tail::kBalanced));
    add("matmul shifted", g, PlanBuilder(g).vector(0, 1, 8, 1).tile(0, 0, 6, Tail::kShifted));
    add("matmul cache", g,
        PlanBuilder(g).vector(0, 1, 8, 1).tile(0, 0, 2).cache(0, 0, 4).cache(0, 1, 16).parallel(0, 3).order(0, {1, 0}, {0, 1}));
    add("matmul packed", g, PlanBuilder(g).vector(0, 1, 8, 2).tile(0, 0, 6).pack(1, {{1, 3, 16}, {0, 19, 1}, {1, 16, 1}}));
    add("matmul vector rows", g, PlanBuilder(g).vector(0, 0, 4, 2).tile(0, 1, 3));
    add("matmul vector reduction", g, PlanBuilder(g).vector(0, 2, 8, 2).tile(0, 0, 2).tile(0, 1, 2));
  }
  {
    const ir::Subgraph g = convolution(9, 5, 20, 3, 1, 1);
    add("conv roots", g, PlanBuilder(g));
    add("conv inlined", g, PlanBuilder(g).inlined(0).epilogue(1, 2).vector(1, 0, 8, 2).tile(1, 2, 4).parallel(1, 2));
    add("conv padded", g,
        PlanBuilder(g).vector(0, 0, 8).epilogue(1, 2).vector(1, 0, 8, 2).tile(1, 2, 6).tile(1, 3, 2).reduce_order(1, {4, 5, 3}));
    add("conv packed", g,
        PlanBuilder(g)
            .epilogue(1, 2)
            .vector(1, 0, 8, 2)
            .tile(1, 2, 6)
            .pack(1, {{0, 2, 16}, {2, 3, 1}, {3, 3, 1}, {1, 5, 1}, {0, 16, 1}}));
    add("conv vector columns", g, PlanBuilder(g).inlined(0).epilogue(1, 2).vector(1, 2, 4, 2).tile(1, 0, 3));
    const ir::Subgraph s = convolution(11, 3, 16, 3, 2, 1);
    add("conv stride 2", s, PlanBuilder(s).inlined(0).epilogue(1, 2).vector(1, 0, 8, 2).tile(1, 2, 5).parallel(1, 1));
  }
  {
    const ir::Subgraph g = softmax(7, 37);
    add("softmax plain", g, PlanBuilder(g));
    add("softmax vector", g, PlanBuilder(g).vector(0, 1, 8, 2).vector(1, 1, 8, 1).vector(2, 1, 8, 1).parallel(2, 1));
  }
  {
    const ir::Subgraph g = argmax(5, 41);
    add("argmax plain", g, PlanBuilder(g));
    add("argmax vector", g, PlanBuilder(g).vector(0, 1, 8, 2).tile(0, 0, 2));
  }
  for (bool exclusive : {false, true}) {
    const ir::Subgraph g = cumsum(9, 12, exclusive);
    add("cumsum plain", g, PlanBuilder(g));
    add("cumsum tile", g, PlanBuilder(g).tile(0, 0, 4).parallel(0, 1));
    add("cumsum vector", g, PlanBuilder(g).vector(0, 0, 4, 1));
  }
  {  // conditions that differ between lanes: loads outside of the buffer are guarded one by one
    const ir::Subgraph g = ir::parse_subgraph(
        "subgraph \"rows\" {\n  input X: f32[5,29]\n  input Z: i8[5,29]\n  output Y: f32[5,40]\n  stage \"rows\" {\n    spatial "
        "r:5, c:40\n"
        "    body select(3 <= c && c < 32, select(c <= r*8, X[r, c - 3]*2.0, X[r, 31 - c]), select(c < 3, 7.0, f32(Z[r, c - "
        "32]))) + "
        "select(r + c < 29, X[r, r + c], 0.0)\n    store Y[r, c] = acc0\n  }\n}\n");
    for (int lanes : {2, 4, 8, 16}) add("guarded x" + std::to_string(lanes), g, PlanBuilder(g).vector(0, 1, lanes, 1));
    add("guarded reversed", g, PlanBuilder(g).vector(0, 0, 4, 1).tile(0, 1, 3));
    const ir::Subgraph t = ir::parse_subgraph(
        "subgraph \"triangle\" {\n  input X: f32[19,19]\n  output Y: f32[19,19]\n  stage \"triangle\" {\n    spatial i:19, j:19\n"
        "    body select(j <= i, X[i, j], -inf)\n    store Y[i, j] = acc0\n  }\n}\n");
    add("triangle", t, PlanBuilder(t).vector(0, 1, 8, 2).tile(0, 0, 2));
  }
  return out;
}

class HandPlans : public testing::TestWithParam<const char*> {};

TEST_P(HandPlans, AgreeWithTheInterpreter) {
  const Target target = named_target(GetParam());
  if (const auto missing = missing_features(target.features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << missing[0];
  const std::vector<Case> all = cases();
  std::vector<ir::Kernel> kernels;
  for (const Case& c : all) {
    SCOPED_TRACE(c.name);
    kernels.push_back(codegen::lower(c.g, c.plan, target));
  }
  const CompiledKernels compiled(std::move(kernels), target);
  for (size_t i = 0; i < all.size(); ++i) {
    for (bool integers : {true, false}) {
      Rng rng(i * 2 + integers);
      std::vector<Tensor> bound = random_bound(all[i].g, rng, integers);
      ASSERT_EQ(compiled.run(i, all[i].g, bound, rng), "") << all[i].name;
      const bool exact = integers && all[i].name.find("softmax") == std::string::npos;
      EXPECT_EQ(compare_with_interpreter(all[i].g, bound, exact), "")
          << all[i].name << (integers ? " on integers" : " on floats");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, HandPlans, testing::Values("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"),
                         [](const auto& info) {
                           std::string s = info.param;
                           for (char& c : s)
                             if (c == '-') c = '_';
                           return s;
                         });

}  // namespace
}  // namespace tlm::test
