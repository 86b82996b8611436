// Kernels of another architecture: cross-compiled, loaded and run under an emulator. For tests only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/target.h"
#include "tlm/core/tensor.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::test {

// What is missing on this machine to run aarch64 code; "" if nothing.
std::string missing_for_aarch64();

struct EmulatedCase {
  const ir::Subgraph* g = nullptr;
  ir::Kernel kernel;
  std::vector<Tensor> bound;  // inputs and constants; completed with the outputs
  std::string wrong;          // as CompiledKernels::run
};

// Compiles all kernels into one image, loads it in one emulated process with guarded buffers, runs every case once.
// Throws InternalError when the process fails as a whole.
void run_emulated(std::vector<EmulatedCase>& cases, const Target& target);

}  // namespace tlm::test
