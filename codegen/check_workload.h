// A compiled workload against the interpreter.
#pragma once

#include <cstddef>
#include <span>

#include "tlm/codegen/workloads.h"

namespace tlm::codegen {

struct CheckOptions {
  uint64_t seed = 1;
  int64_t points = 256;    // outputs compared, drawn at random, the first and the last among them; at least all of a smaller tensor
};

struct CheckResult {
  double max_error = 0;    // max |a-b| / max(1, max|b|) over the compared points of all outputs
  int64_t compared = 0;
};

// Runs the workload's phases (in `image`) once, on random inputs, and compares with the interpreter. The image must run on this
// machine.
CheckResult check_workload(const Workload& w, std::span<const std::byte> image, const CheckOptions& options = {});

}  // namespace tlm::codegen
