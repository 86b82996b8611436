// Runs whole graphs without a compiler: node by node, or as their partition says, in buffers laid out as its tensors say.
#pragma once

#include <string>
#include <vector>

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/partition.h"

namespace tlm::test {

enum class Evaluator {
  kInterpret,  // the oracle; small graphs
  kEvaluate,   // the one that folds constants; real networks
};

// Values of the graph's outputs, each node lowered on its own. `inputs` parallel to g.inputs.
std::vector<Tensor> run_nodes(const ir::Graph& g, const std::vector<Tensor>& inputs, Evaluator how = Evaluator::kInterpret);
// The same by the steps of `p`: every buffer has its exact size, starts as garbage, and is read and written through the strides
// and offsets of the tensors bound to it. Subgraphs are verified.
std::vector<Tensor> run_partition(const ir::Graph& g, const ir::Partition& p, const std::vector<Tensor>& inputs,
                                  Evaluator how = Evaluator::kInterpret);

// Seeded values for every input of the graph: normal floats, small integers.
std::vector<Tensor> random_inputs(const ir::Graph& g, uint64_t seed);
// Largest |a-b| / (|b| + max|b|); infinite where types or shapes differ or one is NaN and the other is not.
double max_difference(const Tensor& a, const Tensor& b);

}  // namespace tlm::test
