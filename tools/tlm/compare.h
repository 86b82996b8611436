// Two tensors held against one another.
#pragma once

#include <string>

#include "tlm/core/tensor.h"

namespace tlm::tools {

struct Tolerance {
  double relative = 1e-3;  // R
  double of_max = 0;       // A: share of max |expected|
  double absolute = 0;
};

struct Comparison {
  bool ok = true;
  double max_error = 0;  // largest |a-b|
  int64_t wrong = 0;     // elements with |a-b| > R|b| + A·max|b| + absolute
  std::string reason;    // empty when ok: what differs and where
};

// Types and shapes must be equal. NaN equals NaN, an infinity only itself.
Comparison compare(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance);

}  // namespace tlm::tools
