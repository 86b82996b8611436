// Random programs × schedules × targets against the interpreter. None is rejected, none differs.
#include <gtest/gtest.h>

#include "tests/codegen_lower/random_programs.h"
#include "tests/support/run_kernel.h"

namespace tlm::test {
namespace {

TEST(RandomPrograms, AgreeWithTheInterpreter) {
  const int total = random_program_count(60);
  const uint64_t first = std::getenv("TLM_RANDOM_SEED") ? std::strtoull(std::getenv("TLM_RANDOM_SEED"), nullptr, 10) : 1;
  std::vector<Target> targets;
  for (const char* name : {"x86-64-v2", "x86-64-v3", "native"}) {
    Target t = named_target(name);
    if (missing_features(t.features).empty()) targets.push_back(std::move(t));
  }
  int exact = 0, failures = 0;
  for (size_t which = 0; which < targets.size(); ++which) {
    const int share = (total + static_cast<int>(targets.size()) - 1) / static_cast<int>(targets.size());
    for (int done = 0; done < share; done += 200) {  // a few units at a time
      const uint64_t start = first + static_cast<uint64_t>(which) * 1000000 + static_cast<uint64_t>(done);
      const std::vector<RandomProgram> programs = random_programs(start, std::min(200, share - done), targets[which]);
      std::vector<ir::Kernel> kernels;
      for (const RandomProgram& p : programs) {
        try {
          kernels.push_back(codegen::lower(*p.scheduled, p.plan, targets[which]));
          std::vector<uint32_t> entries;
          kernel_sources({kernels.back()}, targets[which], entries);  // what cannot be printed is told with its program
        } catch (const std::exception& e) {
          FAIL() << e.what() << "\n" << p.describe();
        }
      }
      const CompiledKernels compiled(std::move(kernels), targets[which]);
      for (size_t i = 0; i < programs.size(); ++i) {
        const RandomProgram& p = programs[i];
        exact += p.program.exact;
        std::vector<Tensor> bound = p.bound();
        std::string wrong = compiled.run(i, *p.scheduled, bound, Rng(p.seed));
        if (wrong.empty()) wrong = compare_with_interpreter(p.program.g, bound, p.program.exact);
        if (wrong.empty()) continue;
        ADD_FAILURE() << wrong << "\ntarget " << targets[which].name << ", " << (p.program.exact ? "exact" : "float") << ", "
                      << p.describe();
        ASSERT_LT(++failures, 5) << "enough";
      }
    }
  }
  std::printf("%d programs on %zu targets, %d of them bit for bit\n", total, targets.size(), exact);
}

// Programs that once found a fault, on the targets where they did.
TEST(RandomPrograms, OnceFaulty) {
  const std::vector<std::pair<const char*, uint64_t>> programs = {
      {"x86-64-v2", 80000352},  // two loads of unequal length at one address that is loaded itself
      {"x86-64-v3", 61000391},  // an index that is loaded under a guard of the axes
      {"x86-64-v3", 61000489}};
  for (const auto& [name, seed] : programs) {
    const Target target = named_target(name);
    if (!missing_features(target.features).empty()) GTEST_SKIP() << "this machine lacks " << name;
    const RandomProgram p = random_programs(seed, 1, target).at(0);
    const CompiledKernels compiled({codegen::lower(*p.scheduled, p.plan, target)}, target);
    std::vector<Tensor> bound = p.bound();
    EXPECT_EQ(compiled.run(0, *p.scheduled, bound, Rng(p.seed)), "") << p.describe();
    EXPECT_EQ(compare_with_interpreter(p.program.g, bound, p.program.exact), "") << p.describe();
  }
}

}  // namespace
}  // namespace tlm::test
