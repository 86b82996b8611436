// Contractions that no rule knows of, kept as text in tests/data/contractions: any schedule is right. `bench_search_subgraph` of
// bench/ measures them.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/run_kernel.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/core/file.h"
#include "tlm/ir/tensor/interpret.h"
#include "tlm/ir/tensor/merge_axes.h"
#include "tlm/space/space.h"

namespace tlm::test {
namespace {

TEST(Contractions, RandomSchedulesAgreeAtSampledElements) {
  const Target target = named_target("x86-64-v3");
  if (const auto missing = missing_features(target.features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << missing[0];
  struct Case {
    std::shared_ptr<const ir::Subgraph> g, program;
    std::string schedule;
  };
  std::vector<Case> cases;
  std::vector<ir::Kernel> kernels;
  Rng rng(5);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TLM_SOURCE_DIR) + "/tests/data/contractions")) {
    ++files;
    const ir::Subgraph given = ir::parse_subgraph(read_file(entry.path().string()));
    ir::verify(given);
    const auto space = space::Space::build(ir::merge_axes(given), target);
    for (int i = 0; i < 6; ++i) {
      space::Walk walk = space->walk();
      while (i > 0 && !walk.done()) walk.choose(static_cast<int>(rng.below(walk.decision().candidates.size())));
      walk.complete();
      cases.push_back({space->shared_subgraph(), walk.shared_subgraph(), space::print(walk.schedule())});
      kernels.push_back(codegen::lower(walk.subgraph(), walk.plan(), target));
    }
  }
  EXPECT_EQ(files, 3);
  const CompiledKernels compiled(std::move(kernels), target);
  for (size_t i = 0; i < cases.size(); ++i) {
    const ir::Subgraph& g = *cases[i].g;
    std::vector<Tensor> bound = random_bound(g, rng, true);
    const std::vector<Tensor> inputs = bound;
    ASSERT_EQ(compiled.run(i, *cases[i].program, bound, rng), "") << cases[i].schedule;
    for (size_t t = 0; t < g.tensors.size(); ++t) {
      if (g.tensors[t].role != ir::TensorRole::kOutput) continue;
      std::vector<int64_t> at = {0, bound[t].size() - 1};
      while (at.size() < 40) at.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(bound[t].size()))));
      const std::vector<double> expected = ir::interpret_points(g, inputs, static_cast<int>(t), at);
      for (size_t p = 0; p < at.size(); ++p)
        ASSERT_EQ(bound[t].at_f64(at[p]), expected[p]) << g.name << " element " << at[p] << "\n" << cases[i].schedule;
    }
  }
}

}  // namespace
}  // namespace tlm::test
