// Substitution of producers, and where stages may be attached.
#include <gtest/gtest.h>

#include <set>

#include "check_plan.h"
#include "tlm/space/space.h"
#include "workloads.h"

namespace tlm::space::test {
namespace {

std::string body(const ir::Subgraph& g, const ir::Stage& s) {
  std::vector<std::string> vars, tensors;
  for (const ir::Axis& a : s.axes) vars.push_back(a.name);
  for (const ir::TensorDecl& t : g.tensors) tensors.push_back(t.name);
  return ir::print(s.body.at(0), vars, tensors);
}

TEST(InlinedStage, ComposesIndices) {
  const ir::Subgraph g = ir::parse_subgraph(R"(subgraph "g" {
  input X: f32[4,6]
  internal T: f32[6,4]
  internal U: f32[24]
  output Y: f32[3,4]
  stage "transpose" {
    spatial i:6, j:4
    body X[j, i]
    store T[i, j] = acc0
  }
  stage "flatten" {
    spatial k:24
    body T[k//4, k%4] + 1.0
    store U[k] = acc0
  }
  stage "slice" {
    spatial a:3, b:4
    body U[a*4 + b + 8]*U[b]
    store Y[a, b] = acc0
  }
}
)");
  ir::verify(g);
  EXPECT_EQ(body(g, inlined_stage(g, {Attach::kRoot, Attach::kRoot, Attach::kRoot}, 2)), body(g, g.stages[2]));
  EXPECT_EQ(body(g, inlined_stage(g, {Attach::kInline, Attach::kInline, Attach::kRoot}, 2)),
            "(X[b, a + 2] + 1.0)*(X[b, 0] + 1.0)");
}

TEST(InlinedStage, KeepsTheGuardOfALoad) {
  const ir::Subgraph g = convolution(6, 2, 4, 3, 1);
  const std::string text = body(g, inlined_stage(g, {Attach::kInline, Attach::kRoot, Attach::kRoot}, 1));
  EXPECT_EQ(text.rfind("select(", 0), 0u) << text;
  EXPECT_NE(text.find("X[n, ci, oh + kh - 1, ow + kw - 1]"), std::string::npos) << text;
  EXPECT_NE(text.find(", 0.0)*W[co, ci, kh, kw]"), std::string::npos) << text;
}

// Every way to attach the stages of a diamond gives an order of nests in which nothing is read before it is written (check_plan).
TEST(Attach, EveryCombinationHasAnOrder) {
  const ir::Subgraph g = diamond(3);
  Target t = named_target("x86-64-v3");
  auto space = Space::build(g, t);
  std::set<std::vector<int>> seen;
  int epilogues_of_both = 0;
  auto visit = [&](auto&& self, const Walk& w) -> void {
    if (w.done() || w.decision().kind != DecisionKind::kAttach) {
      Walk done = w;
      done.complete();
      check_plan(g, t, done.plan());
      seen.insert(w.chosen());
      int hosts = 0;
      for (const NestPlan& n : done.plan().nests) hosts += !n.epilogue.empty();
      epilogues_of_both += hosts > 1;
      return;
    }
    for (size_t i = 0; i < w.decision().candidates.size(); ++i) {
      Walk next = w;
      next.choose(static_cast<int>(i));
      self(self, next);
    }
  };
  visit(visit, space->walk());
  EXPECT_GT(seen.size(), 50u);
  EXPECT_GT(epilogues_of_both, 0);
}

TEST(Attach, AReaderOfOtherPointsIsNoEpilogue) {
  const ir::Subgraph g = ir::parse_subgraph(R"(subgraph "g" {
  input X: f32[4,4]
  internal S: f32[4,4]
  output Y: f32[4,4]
  output Z: f32[4,4]
  stage "square" {
    spatial i:4, j:4
    reduce k:4
    body X[i, k]*X[k, j]
    combine sum
    store S[i, j] = acc0
  }
  stage "symmetric" {
    spatial i:4, j:4
    body S[i, j] + S[j, i]
    store Y[i, j] = acc0
  }
  stage "double" {
    spatial i:4, j:4
    body S[i, j]*2.0
    store Z[i, j] = acc0
  }
}
)");
  ir::verify(g);
  Walk w = Space::build(g, named_target("x86-64-v3"))->walk();
  ASSERT_EQ(w.decision().name, "attach.s2");  // stage 1 has one way only
  EXPECT_EQ(w.decision().candidates, (std::vector<Choice>{{0}, {2}}));
}

TEST(Attach, ManyReadersDoNotMakeExpressionsExplode) {
  std::string text = "subgraph \"chain\" {\n  input X: f32[8]\n";
  for (int i = 0; i < 24; ++i) text += "  internal T" + std::to_string(i) + "_: f32[8]\n";
  text += "  output Y: f32[8]\n";
  for (int i = 0; i < 25; ++i) {
    const std::string from = i == 0 ? "X" : "T" + std::to_string(i - 1) + "_", to = i == 24 ? "Y" : "T" + std::to_string(i) + "_";
    text += "  stage \"s\" {\n    spatial i:8\n    body " + from + "[i]*" + from + "[i]\n    store " + to + "[i] = acc0\n  }\n";
  }
  const ir::Subgraph g = ir::parse_subgraph(text + "}\n");
  const Target t = named_target("x86-64-v3");
  Walk w = Space::build(g, t)->walk();
  while (!w.done()) {  // inline wherever it is allowed
    const Decision& d = w.decision();
    w.choose(d.kind == DecisionKind::kAttach ? static_cast<int>(d.candidates.size()) - 1 : d.neutral);
  }
  check_plan(g, t, w.plan());
  EXPECT_GT(w.plan().nests.size(), 1u);
  EXPECT_LT(w.plan().nests.size(), 12u);
}

}  // namespace
}  // namespace tlm::space::test
