// Stages that sum products over a sliding window: found by their accesses.
#pragma once

#include <optional>
#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::space {

// out[…] = finish(Σ data[… h + kh … w + kw …] · weights[… kh … kw …]); `weights` is a constant. Axes of one point are in no list.
struct WindowSum {
  int h = -1, w = -1;            // spatial axes that the window slides along
  int kh = -1, kw = -1;          // reduction axes over the window
  ir::Expr data, weights;        // the two loads
  int data_h = -1, data_w = -1;  // dimensions of `data` that the window lies in
  std::vector<int> batch;        // further spatial axes: of both operands,
  std::vector<int> rows;         // of the data,
  std::vector<int> columns;      // of the weights
  std::vector<int> depth;        // further reduction axes: of both operands
};

// A window of extent × extent with unit steps in both directions. nullopt: the stage is nothing of the kind.
std::optional<WindowSum> find_window_sum(const ir::Subgraph& g, int stage, int64_t extent);

// What follows a stage elementwise and can be computed with its value at hand.
struct PointwiseChain {
  std::vector<int> stages;               // consumed, in order; the last one's outputs are those below
  std::vector<ir::Expr> values;          // over the stage's spatial axes and kAcc
  std::vector<ir::StageOutput> outputs;  // parallel to `values`
};
// Stages with the same axes, each the only reader of the one before, which it reads at its own point.
PointwiseChain pointwise_chain(const ir::Subgraph& g, int stage);

}  // namespace tlm::space
