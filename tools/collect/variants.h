// Machines that this one can be: the same processor with fewer instructions, registers or cores. Measured on them, a model learns
// what the numbers of a target mean. Caches cannot be varied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tlm/core/target.h"

namespace tlm::collect {

struct Variant {
  std::string name;  // "native-2": and its cores
  Target target;
  bool main = false;      // this machine as it is: most programs are measured on it
  bool held_out = false;  // nothing is learned from it: how well does a model do on hardware that it never saw?
};

// native; avx2 (256 bits, FMA); avx2-8 (the same with 8 vector registers, so that compiled code uses no others); avx (256 bits
// without FMA); sse2 (128 bits, x86-64's baseline): with one core and with two. Held out: avx-1, avx-2, avx2-8-2. Those that
// `machine` cannot run are missing.
std::vector<Variant> hardware_variants(const Target& machine);
// By name, in the order given; "training": all that are not held out; "all". Throws Error(kUsage) that lists the names.
std::vector<Variant> chosen_variants(const Target& machine, const std::vector<std::string>& names);
// The variant other than native that a target is, on whatever machine (caches and numerics do not tell variants apart); none:
// some machine as it is.
std::optional<Variant> variant_of(const Target& t);

}  // namespace tlm::collect
