// The oracle: what a stage means, computed point by point in the plainest way. Slow on purpose.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {

// Values of all tensors of `g` after running it: `bound[t]` holds inputs and constants (row-major, logical shape) and is
// completed with internal and output tensors. Sums of floats accumulate in double when `wide`, else in the body's type.
void interpret(const Subgraph& g, std::vector<Tensor>& bound, bool wide = false);

// Values of tensor `t` at the given flat row-major positions only, computing no more than they need (recursively).
// error_scale[i], if asked for, bounds the rounding error of a float evaluation of position i, in any order of summation: a sum of K
// terms counts (K+8)·2^-24·Σ|terms|, the errors of its terms come on top, and so on through the stages (first-order; functions
// other than + - * / √ count 8 units in the last place; infinite where rounding may change an integer). Sums are wide.
std::vector<double> interpret_points(const Subgraph& g, const std::vector<Tensor>& bound, int t, std::span<const int64_t> positions,
                                     std::vector<double>* error_scale = nullptr);

}  // namespace tlm::ir
