// How generated C is compiled.
#pragma once

#include <string>
#include <vector>

#include "tlm/core/target.h"

namespace tlm::codegen {

// Compiler flags (GCC and Clang) that the emitted code counts on, by target alone: the ISA flags of core/target.h, optimisation,
// freestanding position-independent code, wrapping integers, no contraction or reordering of floating point, no aliasing by type.
// Linking a module adds `-shared -nostdlib`.
std::vector<std::string> c_flags(const Target& target);

}  // namespace tlm::codegen
