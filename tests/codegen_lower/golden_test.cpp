// Loop IR of small stages, as text. TLM_UPDATE_GOLDEN=1 rewrites the files (then read the difference).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/codegen_lower/plan_builder.h"
#include "tests/codegen_lower/workloads.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/core/error.h"

namespace tlm::test {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(TLM_SOURCE_DIR) + "/tests/codegen_lower/golden/" + name + ".txt";
  if (std::getenv("TLM_UPDATE_GOLDEN")) std::ofstream(path) << text;
  std::ifstream file(path);
  std::stringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(text, wanted.str()) << "golden " << path;
}

TEST(Golden, MatrixProduct) {
  const ir::Subgraph g = matmul(4, 20, 8);
  const space::SchedulePlan plan =
      PlanBuilder(g).vector(0, 1, 8, 1).tile(0, 0, 2).pack(1, {{1, 3, 8}, {0, 8, 1}, {1, 8, 1}}).parallel(0, 2).build();
  std::string passes;
  codegen::LowerOptions options;
  options.after = [&](const std::string& pass, ir::Kernel& k) {
    if (pass == "apply_schedule" || pass == "vectorize") passes += "after " + pass + ":\n" + print(k) + "\n";
  };
  const ir::Kernel k = codegen::lower(g, plan, named_target("x86-64-v3"), options);
  expect_golden("matmul", passes + "lowered:\n" + print(k));
}

TEST(Golden, ReducedVectorAxis) {
  const ir::Subgraph g = softmax(2, 10);
  const ir::Kernel k = codegen::lower(g, PlanBuilder(g).vector(0, 1, 4, 1).vector(1, 1, 4, 1).vector(2, 1, 4, 1).build(),
                                      named_target("x86-64-v2"));
  expect_golden("softmax", print(k));
}

TEST(Golden, LoweringIsAFunction) {
  const ir::Subgraph g = convolution(9, 5, 20, 3, 1, 1);
  const space::SchedulePlan plan =
      PlanBuilder(g).inlined(0).epilogue(1, 2).vector(1, 0, 8, 2).tile(1, 2, 4).parallel(1, 2).build();
  EXPECT_EQ(print(codegen::lower(g, plan, named_target("x86-64-v3"))), print(codegen::lower(g, plan, named_target("x86-64-v3"))));
}

TEST(Lower, ChecksWhatAPlanPromises) {
  const ir::Subgraph g = convolution(9, 5, 20, 3, 1, 1);
  // The padding does not read the convolution: it cannot be computed on its accumulators.
  EXPECT_THROW(codegen::lower(g, PlanBuilder(g).epilogue(1, 0).build(), named_target("x86-64-v3")), InternalError);
  space::SchedulePlan plan = PlanBuilder(g).tile(1, 2, 4).cache(1, 2, 6).build();
  EXPECT_THROW(codegen::lower(g, plan, named_target("x86-64-v3")), InternalError)
      << "a cache tile that is no multiple of the register tile";
}

}  // namespace
}  // namespace tlm::test
