// The programs of a batch: lowered, printed, and compiled together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/codegen/build/compile_c.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/space/space.h"

namespace tlm::codegen {

struct BatchProgram {
  space::Schedule schedule;  // of the first that gives it
  std::shared_ptr<const ir::Subgraph> subgraph;  // what the kernel computes: the workload with algorithms replaced
  ir::Kernel kernel;
  uint64_t source_hash = 0;
  int image = -1;            // of BatchPrograms::images; -1: not compiled
  uint32_t first_entry = 0;  // of its phases in the image
  std::string failure;       // why it was not compiled
};

struct BatchPrograms {
  std::vector<BatchProgram> programs;  // distinct ones, by emitted source; the first belongs to schedules[0]
  std::vector<int> program_of;         // by schedule
  std::vector<std::vector<std::byte>> images;
};

using EditSource = std::function<std::string(const space::Schedule& s, const std::string& source)>;

// Schedules that are illegal, or rejected by the compiler, are programs with a failure. Throws Error(kEnvironment, kInterrupted).
// `plant`: changes emitted code (tests).
BatchPrograms build_batch(const space::Space& space, const std::vector<space::Schedule>& schedules, const CToolchain& toolchain,
                          const BuildOptions& options, const EditSource& plant = {});

// Of the source that a schedule gives, as Measurement::source_hash; 0: it is not legal, or cannot be lowered.
uint64_t program_hash(const space::Space& space, const space::Schedule& schedule);

}  // namespace tlm::codegen
