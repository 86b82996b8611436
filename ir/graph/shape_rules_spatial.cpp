// Convolutions and pooling over n spatial dimensions of [batch, channels, d1 … dn].
#include <algorithm>

#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

struct Window {
  std::vector<int64_t> kernel, strides, dilations, pads;  // pads: n begins, then n ends
};

std::string text(const std::vector<int64_t>& v) { return to_string(v); }

// An attribute of n positive (or, for pads, non-negative) numbers; `otherwise` each where it is absent.
std::vector<int64_t> numbers(RuleContext& c, const char* key, size_t n, int64_t otherwise, int64_t least) {
  std::vector<int64_t> v = c.has_attr(key) ? c.attr_ints(key) : std::vector<int64_t>(n, otherwise);
  if (v.empty()) v.assign(n, otherwise);
  if (v.size() != n)
    c.fail(std::string(key) + " " + text(v) + " has " + std::to_string(v.size()) + " entries; " + std::to_string(n) +
           " are needed");
  for (const int64_t x : v)
    if (x < least || x > (int64_t{1} << 31))
      c.fail(std::string(key) + " " + text(v) + " has an entry outside [" + std::to_string(least) + ",2147483648]");
  return v;
}

// Reads kernel, strides, dilations and pads; resolves auto_pad for the input's spatial extents. SAME makes ⌈input/stride⌉
// outputs.
Window read_window(RuleContext& c, const Shape& x, std::vector<int64_t> kernel) {
  const size_t n = x.size() - 2;
  Window w;
  w.kernel = std::move(kernel);
  w.strides = numbers(c, "strides", n, 1, 1);
  w.dilations = numbers(c, "dilations", n, 1, 1);
  const std::string mode = c.node().attr_string("auto_pad", "NOTSET");
  if (mode == "NOTSET") {
    w.pads = numbers(c, "pads", 2 * n, 0, 0);
  } else {
    w.pads.assign(2 * n, 0);
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      for (size_t d = 0; d < n; ++d) {
        const int64_t in = x[d + 2], outs = (in + w.strides[d] - 1) / w.strides[d];
        const int64_t total = std::max<int64_t>(0, (outs - 1) * w.strides[d] + (w.kernel[d] - 1) * w.dilations[d] + 1 - in);
        const int64_t small = total / 2, large = total - small;
        w.pads[d] = mode == "SAME_UPPER" ? small : large;
        w.pads[n + d] = mode == "SAME_UPPER" ? large : small;
      }
    } else if (mode != "VALID") {
      c.fail("auto_pad is '" + mode + "'; NOTSET, VALID, SAME_UPPER and SAME_LOWER exist");
    }
  }
  c.node().attrs.erase("auto_pad");
  c.set("kernel_shape", w.kernel);
  c.set("strides", w.strides);
  c.set("dilations", w.dilations);
  c.set("pads", w.pads);
  return w;
}

// Output extents of a window that slides over the padded input.
Shape slide(RuleContext& c, const Shape& x, int64_t channels, const Window& w, bool ceil_mode) {
  const size_t n = x.size() - 2;
  Shape y = {x[0], channels};
  for (size_t d = 0; d < n; ++d) {
    const int64_t padded = checked_add(c, x[d + 2], w.pads[d] + w.pads[n + d]);
    const int64_t span = checked_add(c, checked_mul(c, w.kernel[d] - 1, w.dilations[d]), 1);
    if (span > padded)
      c.fail("window of " + std::to_string(span) + " is larger than the padded input of " + std::to_string(padded) +
             " in spatial dimension " + std::to_string(d));
    const int64_t room = padded - span;
    int64_t count = room / w.strides[d] + 1;
    // A last window that starts in the padding behind the input is not taken.
    if (ceil_mode && room % w.strides[d] != 0 && count * w.strides[d] < x[d + 2] + w.pads[d]) ++count;
    y.push_back(count);
  }
  return y;
}

std::vector<int64_t> kernel_of_weights(RuleContext& c, const Shape& w) {
  std::vector<int64_t> kernel(w.begin() + 2, w.end());
  if (c.has_attr("kernel_shape") && !c.attr_ints("kernel_shape").empty() && c.attr_ints("kernel_shape") != kernel)
    c.fail("kernel_shape " + text(c.attr_ints("kernel_shape")) + " disagrees with weights of shape " + to_string(w));
  for (int64_t k : kernel)
    if (k < 1) c.fail("weights of shape " + to_string(w) + " have an empty kernel");
  return kernel;
}

void check_bias(RuleContext& c, int i, int64_t channels) {
  if (c.has(i) && c.shape(i) != Shape{channels})
    c.fail("bias has shape " + to_string(c.shape(i)) + "; the output has " + std::to_string(channels) + " channels");
}

int64_t group_attr(RuleContext& c) {
  const int64_t group = c.attr_int("group");
  if (group < 1) c.fail("group is " + std::to_string(group));
  return group;
}

// x at input `xi`, weights [co, ci/group, k…] at `wi`.
Shape conv_shape(RuleContext& c, int xi, int wi) {
  c.require_rank(xi, 3);
  const Shape x = c.shape(xi), w = c.shape(wi);
  if (w.size() != x.size()) c.fail("weights of shape " + to_string(w) + " do not fit input of shape " + to_string(x));
  const int64_t group = group_attr(c);
  if (checked_mul(c, w[1], group) != x[1])
    c.fail("input of shape " + to_string(x) + " has " + std::to_string(x[1]) + " channels; weights of shape " + to_string(w) +
           " with " + std::to_string(group) + " groups need " + std::to_string(w[1] * group));
  if (w[0] % group != 0)
    c.fail(std::to_string(w[0]) + " output channels do not divide into " + std::to_string(group) + " groups");
  const Window window = read_window(c, x, kernel_of_weights(c, w));
  return slide(c, x, w[0], window, false);
}

}  // namespace

void rule_conv(RuleContext& c) {
  c.require_same_dtype(0, 1);
  if (!is_float(c.dtype(0)))
    c.fail("input has type " + std::string(dtype_name(c.dtype(0))) + "; a floating-point type is needed");
  if (c.has(2)) c.require_same_dtype(0, 2);
  Shape y = conv_shape(c, 0, 1);
  check_bias(c, 2, y[1]);
  c.keep_inputs(3);
  c.output(0, c.dtype(0), std::move(y));
}

void rule_conv_integer(RuleContext& c) { c.output(0, DType::kI32, conv_shape(c, 0, 1)); }

// [x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias?]
void rule_qlinear_conv(RuleContext& c) {
  Shape y = conv_shape(c, 0, 3);
  check_bias(c, 8, y[1]);
  c.output(0, c.dtype(7), std::move(y));
}

// Weights [ci, co/group, k…]. output = stride·(input-1) + output_padding + (kernel-1)·dilation + 1 - pads.
void rule_conv_transpose(RuleContext& c) {
  c.require_same_dtype(0, 1);
  c.require_rank(0, 3);
  const Shape x = c.shape(0), w = c.shape(1);
  if (w.size() != x.size()) c.fail("weights of shape " + to_string(w) + " do not fit input of shape " + to_string(x));
  if (w[0] != x[1])
    c.fail("input of shape " + to_string(x) + " has " + std::to_string(x[1]) + " channels; weights of shape " + to_string(w) +
           " need " + std::to_string(w[0]));
  const int64_t group = group_attr(c);
  if (w[0] % group != 0) c.fail(std::to_string(w[0]) + " input channels do not divide into " + std::to_string(group) + " groups");
  const size_t n = x.size() - 2;
  const std::vector<int64_t> kernel = kernel_of_weights(c, w);
  const auto strides = numbers(c, "strides", n, 1, 1), dilations = numbers(c, "dilations", n, 1, 1);
  auto extra = numbers(c, "output_padding", n, 0, 0);
  auto pads = numbers(c, "pads", 2 * n, 0, 0);
  const std::string mode = c.node().attr_string("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER")
    c.fail("auto_pad is '" + mode + "'; NOTSET, VALID, SAME_UPPER and SAME_LOWER exist");
  std::vector<int64_t> wanted = c.attr_ints("output_shape");
  if (wanted.size() == n + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);  // some exporters give all dimensions
  if (!wanted.empty() && wanted.size() != n)
    c.fail("output_shape " + text(wanted) + " has not one entry for each of " + std::to_string(n) + " spatial dimensions");
  Shape y = {x[0], checked_mul(c, w[1], group)};
  for (size_t d = 0; d < n; ++d) {
    const int64_t full = checked_add(c, checked_mul(c, strides[d], std::max<int64_t>(0, x[d + 2] - 1)),
                                     extra[d] + (kernel[d] - 1) * dilations[d] + 1);
    int64_t out = 0;
    const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
    if (!wanted.empty() || same) {
      out = wanted.empty() ? checked_mul(c, x[d + 2], strides[d]) : wanted[d];
      // What the input does not reach is like output_padding: more elements at the end.
      if (out > full) extra[d] = checked_add(c, extra[d], out - full);
      const int64_t total = std::max<int64_t>(0, full - out), half = total / 2;
      pads[d] = mode == "SAME_UPPER" ? half : total - half;
      pads[n + d] = total - pads[d];
    } else {
      if (mode == "VALID") pads[d] = pads[n + d] = 0;
      out = full - pads[d] - pads[n + d];
    }
    if (out < 1)
      c.fail("output extent is " + std::to_string(out) + " in spatial dimension " + std::to_string(d) + ": pads " + text(pads) +
             " exceed " + std::to_string(full));
    y.push_back(out);
  }
  check_bias(c, 2, y[1]);
  for (const char* key : {"auto_pad", "output_shape"}) c.node().attrs.erase(key);
  c.set("kernel_shape", kernel);
  c.set("strides", strides);
  c.set("dilations", dilations);
  c.set("output_padding", extra);
  c.set("pads", pads);
  c.keep_inputs(3);
  c.output(0, c.dtype(0), std::move(y));
}

void rule_pool(RuleContext& c) {
  c.require_rank(0, 3);
  const Shape x = c.shape(0);
  const size_t n = x.size() - 2;
  if (!c.has_attr("kernel_shape")) c.fail("kernel_shape is missing");
  const auto kernel = numbers(c, "kernel_shape", n, 1, 1);
  const Window w = read_window(c, x, kernel);
  if (c.node().op != OpKind::kMaxPool && !is_float(c.dtype(0)))
    c.fail("input has type " + std::string(dtype_name(c.dtype(0))) + "; a floating-point type is needed");
  for (size_t d = 0; d < n; ++d) {
    if (std::max(w.pads[d], w.pads[n + d]) >= (kernel[d] - 1) * w.dilations[d] + 1 && x[d + 2] > 0 &&
        c.node().op == OpKind::kMaxPool)
      c.unsupported("pads " + text(w.pads) + " reach beyond the window " + text(kernel) + ": some maxima are over nothing");
  }
  const Shape y = slide(c, x, x[1], w, c.node().attr_int("ceil_mode", 0) != 0);
  c.output(0, c.dtype(0), y);
  c.output(1, DType::kI64, y);
}

void rule_global_pool(RuleContext& c) {
  c.require_rank(0, 3);
  if (!is_float(c.dtype(0)))
    c.fail("input has type " + std::string(dtype_name(c.dtype(0))) + "; a floating-point type is needed");
  Shape y = c.shape(0);
  std::fill(y.begin() + 2, y.end(), 1);
  c.output(0, c.dtype(0), std::move(y));
}

}  // namespace tlm::ir
