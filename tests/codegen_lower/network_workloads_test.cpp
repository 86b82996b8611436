// The workloads of real networks under constructive and random schedules, compared with the interpreter at sampled elements.
// $TLM_RANDOM_SCHEDULES: random schedules of each workload (unset: one, of every fifth workload). $TLM_RANDOM_SEED.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/support/network_workloads.h"
#include "tests/support/run_kernel.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/ir/tensor/interpret.h"
#include "tlm/space/space.h"

namespace tlm::test {
namespace {

struct Scheduled {
  const ir::Subgraph* g;
  std::shared_ptr<const ir::Subgraph> program;  // as lowered
  std::string schedule;
};

TEST(NetworkWorkloads, AgreeAtSampledElements) {
  const char* given = std::getenv("TLM_RANDOM_SCHEDULES");
  const int random = given ? std::atoi(given) : 1;
  const size_t stride = given ? 1 : 5;
  const char* seed = std::getenv("TLM_RANDOM_SEED");
  Rng rng(seed ? std::strtoull(seed, nullptr, 10) : 1);
  Target target = named_target("x86-64-v3");
  if (const auto missing = missing_features(target.features); !missing.empty()) target = named_target("x86-64");
  std::vector<Scheduled> all;
  std::vector<ir::Kernel> kernels;
  const std::vector<ir::Subgraph>& workloads = network_workloads();
  for (size_t w = 0; w < workloads.size(); w += stride)
    for (int i = 0; i <= random; ++i) {
      const ir::Subgraph& g = workloads[w];
      space::Walk walk = space::Space::build(g, target)->walk();
      while (i > 0 && !walk.done()) walk.choose(static_cast<int>(rng.below(walk.decision().candidates.size())));
      walk.complete();
      all.push_back({&g, walk.shared_subgraph(), space::print(walk.schedule())});
      kernels.push_back(codegen::lower(walk.subgraph(), walk.plan(), target));
    }
  const CompiledKernels compiled(std::move(kernels), target);
  int elements = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const ir::Subgraph& g = *all[i].g;
    std::vector<Tensor> bound = random_bound(g, rng, false);
    const std::vector<Tensor> inputs = bound;
    ASSERT_EQ(compiled.run(i, *all[i].program, bound, rng), "") << g.name << "\n" << all[i].schedule;
    for (size_t t = 0; t < g.tensors.size(); ++t) {
      if (g.tensors[t].role != ir::TensorRole::kOutput) continue;
      std::vector<int64_t> at = {0, bound[t].size() - 1};
      for (int n = 0; n < 30; ++n) at.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(bound[t].size()))));
      std::vector<double> error;
      const std::vector<double> wanted = ir::interpret_points(g, inputs, static_cast<int>(t), at, &error);
      for (size_t n = 0; n < at.size(); ++n) {
        const double a = bound[t].at_f64(at[n]), b = wanted[n];
        ASSERT_TRUE(a == b || std::fabs(a - b) <= 2 * error[n] + 0x1p-23 * std::fabs(b) || (std::isnan(a) && std::isnan(b)))
            << g.name << " element " << at[n] << " is " << a << ", interpreter " << b << " (bound " << error[n] << ")\n"
            << all[i].schedule;
        ++elements;
      }
    }
  }
  std::printf("%zu programs, %d elements compared\n", all.size(), elements);
}

}  // namespace
}  // namespace tlm::test
