// The graph passes, in order.
#pragma once

#include <functional>
#include <string>

#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

// Each pass rewrites the graph in place and returns whether it changed anything. Names of graph inputs and outputs never change.
bool separate_ports(Graph& g);  // an output that is an input of the model becomes a copy of it
bool fold_constants(Graph& g);  // evaluates nodes whose inputs are constant; frees operands after their last use
bool fold_affine(Graph& g);     // batch norm, bias and constant scale into convolution and matrix weights
bool eliminate(Graph& g);  // dead nodes, Identity, Dropout in inference, no-op Cast/Reshape/Transpose/Slice/Pad/Concat of one
bool assign_layouts(Graph& g);    // physical order of every value: channels-last around convolution and pooling
bool assign_row_major(Graph& g);  // instead of assign_layouts: no value has an order of its own

struct PassOptions {
  bool channels_last = true;  // assign_layouts; else assign_row_major
};

// All of them to a fixed point; `after` (if set) sees the graph after each one, by name.
void run_graph_passes(Graph& g, const std::function<void(const std::string& pass, const Graph&)>& after = {},
                      const PassOptions& options = {});

}  // namespace tlm::ir
