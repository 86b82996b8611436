// Algorithm alternatives: a stage replaced by an equivalent DAG of stages. The first decisions of a schedule, taken from the last
// stage to the first, so that the numbers of stages not yet asked stay as they are.
#pragma once

#include <string>
#include <vector>

#include "tlm/space/rules/sketch.h"

namespace tlm::space {

// A rule looks at accesses and axes, never at an operator. What it returns computes the same outputs: stages before `stage` are
// left alone, original tensors keep their numbers, new tensors (internal, or constants with an entry in Subgraph::derived) are
// appended, and stages stay in topological order.
struct AlgorithmRule {
  const char* name;  // as schedules and sentences write it
  // One candidate for each; empty: the rule does not apply. Increasing.
  std::vector<int64_t> (*parameters)(const Context& c, int stage);
  ir::Subgraph (*apply)(const ir::Subgraph& g, int stage, int64_t parameter);
};

// A choice is [0], the stage as it is, or [number of the rule counted from 1, parameter]. Rules are only ever appended.
const std::vector<AlgorithmRule>& algorithm_rules();
const char* algorithm_name(int64_t number);   // "direct", or the rule's
std::string algorithm_text(const Choice& c);  // "direct", "winograd:4"

std::vector<Choice> algorithm_candidates(const Context& c, int stage);
// Points of the stage in octaves; memory of the constants that it reads.
std::vector<int64_t> algorithm_facts(const Context& c, int stage);
// What a candidate makes of `direct`, the subgraph without it: uses of each element of the largest tensor that any stage reads (of equal ones the last), in half octaves from a half;
// operations beside those of `direct`, in quarter octaves from a quarter; memory of the tensors in between that are new.
std::vector<int64_t> algorithm_consequences(const ir::Subgraph& direct, const ir::Subgraph& chosen);
ir::Subgraph apply_algorithm(const Context& c, int stage, const Choice& choice);

AlgorithmRule winograd_rule();         // winograd.cpp: outputs of a tile
// Rounding error that is to be expected of F(m, 3) in two directions, relative to the largest output: for independent operands and
// sums of k products.
double winograd_error(int64_t m, double k);
AlgorithmRule pack_operand_rule();     // pack_operand.cpp: the axis along which operands are made to run
AlgorithmRule split_reduction_rule();  // split_reduction.cpp: the number of parts

}  // namespace tlm::space
