// Loop IR → C source for the system compiler (GCC or Clang vector extensions), freestanding.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tlm/core/target.h"
#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// One translation unit. Phase p of kernels[k] becomes the hidden function `tlm_phase_<first_entry[k] + p>` with the signature
// TlmPhase.
std::string write_c(std::span<const ir::Kernel* const> kernels, std::span<const uint32_t> first_entry, const Target& target);
// The unit that holds the table of all phases, tlm_module() and the memory functions that a compiler may call.
std::string write_c_module(uint32_t phase_count, const Target& target);

}  // namespace tlm::codegen
