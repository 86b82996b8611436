// Random programs of the generator under constructive and random schedules, lowered; shared by the tests that run them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/expression_generator.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/space/space.h"

namespace tlm::test {

struct RandomProgram {
  uint64_t seed = 0;
  GeneratedProgram program;
  std::shared_ptr<const ir::Subgraph> scheduled;  // program.g with the chosen algorithms: what the plan is about
  space::SchedulePlan plan;
  std::string describe() const;  // seed, subgraph and plan
  // Inputs and constants for a run of `scheduled`; program.g's tensors come first.
  std::vector<Tensor> bound() const;
};

// Programs `first` … `first + count - 1`; the odd ones take uniformly random decisions, the others the constructive schedule.
std::vector<RandomProgram> random_programs(uint64_t first, int count, const Target& target, const GeneratorOptions& options = {});

// $TLM_RANDOM_PROGRAMS, else `otherwise`.
int random_program_count(int otherwise);

}  // namespace tlm::test
