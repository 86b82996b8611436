// Random tensor expressions: every space is sound on them, and substitution of producers does not change what is computed.
#include <gtest/gtest.h>

#include <cmath>

#include "check_plan.h"
#include "tests/support/expression_generator.h"
#include "tlm/core/rng.h"
#include "tlm/ir/tensor/interpret.h"
#include "tlm/space/space.h"

namespace tlm::space::test {
namespace {

constexpr uint64_t kPrograms = 400;

Target target_of(uint64_t seed) {
  const char* const names[] = {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64", "sm_80"};
  Target t = named_target(names[seed % 5]);
  t.cores = static_cast<int>(1 + seed % 4);
  return t;
}

// `g` as its nests execute it: inlined producers substituted and gone.
ir::Subgraph substituted(const ir::Subgraph& g, const std::vector<Attach>& attach) {
  ir::Subgraph out = g;
  out.stages.clear();
  for (size_t s = 0; s < g.stages.size(); ++s) {
    if (attach[s] != Attach::kInline) out.stages.push_back(inlined_stage(g, attach, static_cast<int>(s)));
  }
  return out;
}

bool same_values(const Tensor& a, const Tensor& b) {
  if (a.size() != b.size()) return false;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.at_f64(i), y = b.at_f64(i);
    if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

TEST(RandomPrograms, SpacesAreSound) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const tlm::test::GeneratedProgram p = tlm::test::generate_program(seed);
    const Target t = target_of(seed);
    auto space = Space::build(p.g, t);
    Rng rng(seed);
    for (int i = 0; i < 4; ++i) {
      Walk w = space->walk();
      if (i == 0) w.complete();
      while (!w.done()) w.choose(static_cast<int>(rng.below(w.decision().candidates.size())));
      check_plan(w);
      Result<Walk> again = space->replay(parse_schedule(print(w.schedule())));
      ASSERT_TRUE(again.ok()) << again.reason();
      EXPECT_EQ(again->chosen(), w.chosen());
      if (HasFailure()) {
        std::puts((ir::print(p.g) + print(w.schedule())).c_str());
        return;
      }
    }
  }
}

TEST(RandomPrograms, SubstitutionKeepsTheMeaning) {
  int inlined = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    tlm::test::GeneratorOptions options;
    options.work_budget = 20000;
    const tlm::test::GeneratedProgram p = tlm::test::generate_program(seed, options);
    auto space = Space::build(p.g, target_of(seed));
    Walk w = space->walk();
    while (!w.done()) {  // inline wherever it is allowed
      const Decision& d = w.decision();
      int pick = d.neutral;
      for (size_t i = 0; d.kind == DecisionKind::kAttach && i < d.candidates.size(); ++i) {
        if (d.candidates[i][0] == static_cast<int64_t>(Attach::kInline)) pick = static_cast<int>(i);
      }
      w.choose(pick);
    }
    const SchedulePlan plan = w.plan();
    const ir::Subgraph g = substituted(p.g, plan.attach);
    if (g.stages.size() == p.g.stages.size()) continue;
    ++inlined;
    std::vector<Tensor> expected = p.inputs_and_constants, got = p.inputs_and_constants;
    ir::interpret(p.g, expected);
    ir::interpret(g, got);
    for (size_t i = 0; i < p.g.tensors.size(); ++i) {
      if (p.g.tensors[i].role != ir::TensorRole::kOutput) continue;
      ASSERT_TRUE(same_values(expected[i], got[i])) << "seed " << seed << " tensor " << i << "\n"
                                                    << ir::print(p.g) << ir::print(g);
    }
  }
  EXPECT_GT(inlined, static_cast<int>(kPrograms) / 10);
}

}  // namespace
}  // namespace tlm::space::test
