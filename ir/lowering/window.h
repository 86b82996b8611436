// Sliding windows over the spatial dimensions: what convolution and pooling share.
#pragma once

#include <vector>

#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {

// One spatial dimension: output o reads in[o·stride + k·dilation - pad_begin], 0 <= k < kernel.
struct Window {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  int64_t reach() const { return (out - 1) * stride + (kernel - 1) * dilation + 1; }  // extent that is read, padding included
};

// Of the node's attributes kernel_shape, strides, dilations, pads. `kernel`: extents if the attribute is absent.
std::vector<Window> windows(const NodeLowering& l, const Shape& in, const Shape& out, std::vector<int64_t> kernel = {});

// x with `value` around it, so that output o reads element o·stride + k·dilation of the result: a stage of its own, or x itself
// where nothing outside is read. `first`: the dimension of x that windows[0] slides over.
Operand padded(NodeLowering& l, int input, const std::vector<Window>& windows, Expr value, int first = 2);

// Axes of one sliding window, by spatial dimension.
Indices output_axes(StageDraft& s, const std::vector<Window>& windows);  // od, oh, ow
Indices kernel_axes(StageDraft& s, const std::vector<Window>& windows);  // kd, kh, kw (reduction)
// o·stride + k·dilation
Expr window_index(const Window& w, const Expr& o, const Expr& k);

}  // namespace tlm::ir
