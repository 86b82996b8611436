#include "tests/codegen_lower/random_programs.h"

#include <cstdlib>

#include "tlm/core/rng.h"

namespace tlm::test {

std::string RandomProgram::describe() const {
  return "seed " + std::to_string(seed) + "\n" + ir::print(program.g) + space::print(plan, *scheduled);
}

std::vector<Tensor> RandomProgram::bound() const {
  std::vector<Tensor> out = program.inputs_and_constants;
  out.resize(scheduled->tensors.size());
  return out;
}

std::vector<RandomProgram> random_programs(uint64_t first, int count, const Target& target, const GeneratorOptions& options) {
  std::vector<RandomProgram> out;
  for (int i = 0; i < count; ++i) {
    RandomProgram p;
    p.seed = first + static_cast<uint64_t>(i);
    p.program = generate_program(p.seed, options);
    space::Walk walk = space::Space::build(p.program.g, target)->walk();
    if (p.seed % 2 == 1) {
      Rng rng(p.seed * 7919);
      while (!walk.done()) walk.choose(static_cast<int>(rng.below(walk.decision().candidates.size())));
    } else {
      walk.complete();
    }
    p.scheduled = walk.shared_subgraph();
    p.plan = walk.plan();
    out.push_back(std::move(p));
  }
  return out;
}

int random_program_count(int otherwise) {
  const char* given = std::getenv("TLM_RANDOM_PROGRAMS");
  return given ? std::max(1, std::atoi(given)) : otherwise;
}

}  // namespace tlm::test
