// Loop IR → CUDA C for NVRTC.
#pragma once

#include <string>

#include "tlm/core/target.h"
#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// A self-contained unit: each phase is an extern "C" __global__ function `<kernel name>_p<phase>`.
std::string write_cuda(const ir::Kernel& kernel, const Target& target);

}  // namespace tlm::codegen
