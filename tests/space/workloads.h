// Small subgraphs of every kind that the rules distinguish, as text.
#pragma once

#include <string>
#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::space::test {

struct Workload {
  std::string name;
  ir::Subgraph g;
};

// Channels-last convolution of n×h×w×ci with co kernels of k×k, stride s, zero padding (k-1)/2 as a stage of its own, bias and
// rectifier.
ir::Subgraph convolution(int64_t h, int64_t ci, int64_t co, int64_t k, int64_t s);
// The same in rows of channels (NCHW memory).
ir::Subgraph convolution_channels_first(int64_t h, int64_t ci, int64_t co, int64_t k);
ir::Subgraph matmul(int64_t m, int64_t n, int64_t k);                // constant second operand
ir::Subgraph attention_scores(int64_t heads, int64_t s, int64_t d);  // both operands are activations, reduced along unit stride
ir::Subgraph softmax(int64_t rows, int64_t columns);
ir::Subgraph max_pool(int64_t h, int64_t c);
ir::Subgraph depthwise(int64_t h, int64_t c);
ir::Subgraph grouped(int64_t h, int64_t groups, int64_t ci, int64_t co);  // channels of each group
ir::Subgraph elementwise(int64_t rows, int64_t columns);
ir::Subgraph transpose(int64_t rows, int64_t columns);
ir::Subgraph argmax(int64_t rows, int64_t columns);  // tuple combiner
ir::Subgraph cumsum(int64_t rows, int64_t columns);  // scan
ir::Subgraph gather(int64_t rows, int64_t table, int64_t width);
ir::Subgraph ordered_fold(int64_t rows, int64_t columns);  // a combiner that is neither associative nor commutative
ir::Subgraph concat(int64_t rows);                         // two writers of one output
// Two reductions joined by elementwise stages in every way: which stage runs on whose accumulators must not close a circle.
ir::Subgraph diamond(int64_t n);

std::vector<Workload> all_workloads();

}  // namespace tlm::space::test
