// What partition wants to know about a node. Everything is read off the stages that the node lowers to; no operator is special.
#pragma once

#include <optional>
#include <vector>

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/lowering/lower_operator.h"

namespace tlm::ir {

// A stage that copies elements of one value to another: tensor index d of a side is `at[d]`, affine in the stage's axes.
struct CopyMap {
  ValueId from, to;
  std::vector<int64_t> extents;        // of the stage's axes
  std::vector<Affine> from_at, to_at;  // by dimension
};

struct NodeFacts {
  Route route = Route::kStages;  // kStages, kRuntimeCall, or kView with one input and one output
  int stages = 0;
  bool pointwise = false;       // stages, none of which reduces or scans
  bool aligned = false;         // pointwise, one output, and every stage covers the output's shape index by index
  bool point_free = false;      // aligned, and the value does not depend on where the point lies
  bool cheap = false;           // pointwise, no function that takes more than a few instructions
  bool single_writers = false;  // no tensor is written by two stages (such a tensor is never inlined)
  // aligned: inputs of the output's shape that are read only at the point which is written.
  std::vector<ValueId> aligned_inputs;
  // Each stage copies (Slice, Split, Transpose, Concat, …), in order; empty if any does more.
  std::vector<CopyMap> copies;
};

// Lowers the node on its own and looks at the result. Errors: those of lower_node.
NodeFacts node_facts(const Graph& g, const Node& n);

// The dimensions of a tensor of shape `shape` are walked by distinct axes from end to end, so that `at` visits every element
// once. Returns the axis of each dimension (-1: extent 1), or nothing.
std::optional<std::vector<int>> full_walk(const Shape& shape, const std::vector<Affine>& at, const std::vector<int64_t>& extents);

}  // namespace tlm::ir
