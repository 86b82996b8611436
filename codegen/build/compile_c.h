// C sources → one shared object image, by the system's C compiler.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tlm/codegen/build/binary_cache.h"
#include "tlm/core/cancel.h"
#include "tlm/core/progress.h"
#include "tlm/core/target.h"

namespace tlm::codegen {

struct CToolchain {
  std::string program;    // absolute path
  std::string identity;   // "gcc 12.2.0 x86_64-linux-gnu": part of cache keys and of the package
};

// The C compiler for a target: `program` if given, else cc, gcc or clang for this machine's architecture, the GNU cross compiler
// for another one. Throws Error(kEnvironment) that says what to install.
CToolchain find_c_toolchain(const Target& target, const std::string& program = {}, const CancelToken& cancel = {});

struct BuildOptions {
  int jobs = 1;                                        // compiler processes at once; never changes a byte of the result
  const BinaryCache* cache = nullptr;
  CancelToken cancel;                                  // set: Error(kInterrupted)
  Progress* progress = nullptr;
};

// ELF image that exports tlm_module and needs nothing. Throws Error(kEnvironment) (compiler missing or unfit, no space,
// deadline), InternalError with the compiler's message when it rejects the source of a unit.
std::vector<std::byte> build_image(const std::vector<std::string>& units, const Target& target, const CToolchain& toolchain,
                                   const BuildOptions& options);

}  // namespace tlm::codegen
