// Which values share a buffer, so that reshapes, slices and concatenations cost nothing: a value's place is a strided view of the
// buffer of its root value. What cannot be a view is a copy.
#pragma once

#include <vector>

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/partition/node_facts.h"

namespace tlm::ir {

struct Place {
  ValueId root;                  // the value that owns the buffer: dense, in its physical order
  int64_t offset = 0;            // elements
  std::vector<int64_t> strides;  // by dimension of the value placed
};

// Elements of `shape` at a place of a buffer.
struct BufferView {
  ValueId value;  // bound to the step; its root owns the buffer
  Shape shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
};

// to[i] = from[i] for row-major positions i; the shapes have equal size.
struct BufferCopy {
  BufferView from, to;
};

struct Placement {
  std::vector<Place> of;                        // by value
  std::vector<char> free;                       // by node: nothing to compute; its outputs are views or are made by `copies`
  std::vector<std::vector<BufferCopy>> copies;  // by node
};

// `facts` by node. With `views` false every value owns its buffer.
Placement place_values(const Graph& g, const std::vector<NodeFacts>& facts, bool views);

}  // namespace tlm::ir
