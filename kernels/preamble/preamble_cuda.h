// What generated CUDA C calls. Needs no header but what NVRTC builds in.
#pragma once

#include <string>

namespace tlm::kernels {

// Types, and device functions op_<name> with the meaning of the expressions' operators on every type (NaN, division by zero,
// shifts).
std::string preamble_cuda();

}  // namespace tlm::kernels
