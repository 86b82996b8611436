#include "tlm/codegen/source/c_flags.h"

namespace tlm::codegen {

std::vector<std::string> c_flags(const Target& target) {
  std::vector<std::string> flags = compiler_flags(target);
  for (const char* f : {
           "-std=gnu11",
           "-O1",             // named accumulators need no more; -O2 doubles the time
           "-ffreestanding",  // no library, no calls made up from patterns
           "-fPIC",
           "-fvisibility=hidden",
           "-fwrapv",               // integers wrap
           "-fno-strict-aliasing",  // workspace bytes hold several types
           "-fno-math-errno",       // sqrt is one instruction
           "-fno-trapping-math",
           "-ffp-contract=off",  // multiply-adds are written where they are meant
           "-fno-stack-protector",
           "-fno-asynchronous-unwind-tables",
           "-w",
       })
    flags.emplace_back(f);
  if (target.arch == "x86-64") flags.emplace_back("-fcf-protection=none");
  return flags;
}

}  // namespace tlm::codegen
