// Programs cross-compiled for aarch64 run right under an emulator.
#include <gtest/gtest.h>

#include "tests/codegen_lower/plan_builder.h"
#include "tests/codegen_lower/random_programs.h"
#include "tests/codegen_lower/workloads.h"
#include "tests/support/run_emulated.h"
#include "tests/support/run_kernel.h"

namespace tlm::test {
namespace {

TEST(Aarch64, RandomProgramsAgree) {
  if (const std::string missing = missing_for_aarch64(); !missing.empty()) GTEST_SKIP() << missing;
  const Target target = named_target("aarch64");
  const std::vector<RandomProgram> programs = random_programs(700, random_program_count(20), target);
  std::vector<EmulatedCase> cases;
  for (const RandomProgram& p : programs)
    cases.push_back({p.scheduled.get(), codegen::lower(*p.scheduled, p.plan, target), p.bound(), ""});
  run_emulated(cases, target);
  for (size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(cases[i].wrong, "") << programs[i].describe();
    ASSERT_EQ(compare_with_interpreter(programs[i].program.g, cases[i].bound, programs[i].program.exact), "")
        << programs[i].describe();
  }
}

TEST(Aarch64, RegisterTilesAgree) {
  if (const std::string missing = missing_for_aarch64(); !missing.empty()) GTEST_SKIP() << missing;
  const Target target = named_target("aarch64");
  const ir::Subgraph mm = matmul(13, 37, 19), conv = convolution(9, 5, 20, 3, 1, 1), soft = softmax(7, 37);
  std::vector<EmulatedCase> cases;
  Rng rng(5);
  auto add = [&](const ir::Subgraph& g, const PlanBuilder& p) {
    cases.push_back({&g, codegen::lower(g, p.build(), target), random_bound(g, rng, false), ""});
  };
  add(mm, PlanBuilder(mm).vector(0, 1, 4, 2).tile(0, 0, 6));
  add(conv, PlanBuilder(conv).inlined(0).epilogue(1, 2).vector(1, 0, 4, 2).tile(1, 2, 4).parallel(1, 2));
  add(soft, PlanBuilder(soft).vector(0, 1, 4, 2).vector(1, 1, 4, 1).vector(2, 1, 4, 1).parallel(2, 1));
  run_emulated(cases, target);
  for (const EmulatedCase& c : cases) {
    EXPECT_EQ(c.wrong, "");
    EXPECT_EQ(compare_with_interpreter(*c.g, c.bound, false), "");
  }
}

}  // namespace
}  // namespace tlm::test
