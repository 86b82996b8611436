// Small subgraphs that the tests of lowering share.
#pragma once

#include <string>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::test {

ir::Subgraph matmul(int64_t m, int64_t n, int64_t k, const std::string& b_role = "constant");
// Channels-last k×k convolution with padding as a stage of its own, bias and activation as consumers:
// stages 0 pad, 1 conv, 2 bias and relu. Axes of 1: co, oh, ow, ci, kh, kw.
ir::Subgraph convolution(int64_t h, int64_t ci, int64_t co, int64_t k, int64_t stride, int64_t pad);
ir::Subgraph softmax(int64_t rows, int64_t columns);                                         // stages 0 max, 1 sum, 2 divide
ir::Subgraph transposition(int64_t rows, int64_t columns, const std::string& type = "f32");  // Y[r, c] = X[c, r]
ir::Subgraph argmax(int64_t rows, int64_t columns);
ir::Subgraph cumsum(int64_t rows, int64_t columns, bool exclusive);

}  // namespace tlm::test
