// Convolutions. Padding is a stage of its own; the sum then reads with plain affine accesses.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/quantization.h"
#include "tlm/ir/lowering/window.h"

namespace tlm::ir {
namespace {

// What one convolution sums: y[n, g·cog+co, o…] = finish(Σ_{ci, k…} product(x[n, g·cig+ci, o·stride+k·dilation…], w(g, co, ci,
// k…))).
struct Convolution {
  Operand x;  // padded
  std::vector<Window> windows;
  int64_t group = 1, in_channels = 1, out_channels = 1;
  std::function<Expr(const Expr& g, const Expr& co, const Expr& ci, const Indices& k)> weight;
  std::function<Expr(const Expr& x, const Expr& w, const Expr& channel)> product = [](const Expr& x, const Expr& w, const Expr&) {
    return x * w;
  };
  std::function<Expr(const Expr& sum, const Expr& channel)> finish;
};

// An internal tensor like the output, with the channel dimension split in [group, channels of the group], in the same physical
// order.
int split_channels(NodeLowering& l, int64_t group) {
  const Value& y = l.out();
  Shape shape = {y.shape[0], group, y.shape[1] / group};
  shape.insert(shape.end(), y.shape.begin() + 2, y.shape.end());
  std::vector<int> order;
  for (int d : y.order) {
    if (d == 1)
      order.insert(order.end(), {1, 2});
    else
      order.push_back(d == 0 ? 0 : d + 1);
  }
  return l.internal("groups", y.dtype, shape, order);
}

// An index of an output is one axis. So with several groups of several channels the sums go to a tensor whose channel dimension
// is split in (g, co), where every access is affine, and are copied from there.
void convolve(NodeLowering& l, const Convolution& c) {
  StageDraft s(l.b, l.name());
  int64_t cig = c.in_channels / c.group, cog = c.out_channels / c.group;
  bool split = c.group > 1 && cog > 1;
  int target = split ? split_channels(l, c.group) : l.out_tensor();
  Expr n = s.spatial("n", l.out().shape[0]);
  Expr g = s.spatial(cig == 1 && cog == 1 ? "c" : "g", c.group);  // depthwise: one channel axis
  Expr co = s.spatial("co", cog);
  Indices o = output_axes(s, c.windows);
  Expr ci = s.reduce("ci", cig);
  Indices k = kernel_axes(s, c.windows);
  Expr channel = g * cog + co;
  Indices from = {n, g * cig + ci}, to = split ? Indices{n, g, co} : Indices{n, channel};
  for (size_t d = 0; d < c.windows.size(); ++d) from.push_back(window_index(c.windows[d], o[d], k[d]));
  to.insert(to.end(), o.begin(), o.end());
  s.combine(CombinerKind::kSum, c.product(c.x.at(from), c.weight(g, co, ci, k), channel));
  s.output(target, to, c.finish ? c.finish(s.acc(), channel) : s.acc());
  s.emit();
  if (!split) return;
  map_stage(l.b, l.name("join"), l.out_tensor(), [&](const Indices& at) {
    Indices apart = {at[0], floor_div(at[1], cog), floor_mod(at[1], cog)};
    apart.insert(apart.end(), at.begin() + 2, at.end());
    return make_load(target, l.out().dtype, apart);
  });
}

// Channels and windows of Conv, ConvInteger and QLinearConv. `weight_input`: position of the weights [M, C/group, k…].
Convolution describe(NodeLowering& l, int weight_input) {
  const Shape& x = l.in(0).shape;
  const Shape& w = l.in(weight_input).shape;
  Convolution c;
  c.group = l.node.attr_int("group", 1);
  c.in_channels = x[1];
  c.out_channels = w[0];
  if (c.group < 1 || w[1] * c.group != c.in_channels || c.out_channels % c.group != 0) {
    l.bad_model("group " + std::to_string(c.group) + " with " + std::to_string(c.in_channels) + " channels and weights " +
                to_string(w));
  }
  c.windows = windows(l, x, l.out().shape, {w.begin() + 2, w.end()});
  int64_t cog = c.out_channels / c.group;
  Operand weights = l.operand(weight_input);
  c.weight = [weights, cog](const Expr& g, const Expr& co, const Expr& ci, const Indices& k) {
    Indices at = {g * cog + co, ci};
    at.insert(at.end(), k.begin(), k.end());
    return weights.at(at);
  };
  return c;
}

}  // namespace

void lower_conv(NodeLowering& l) {
  Convolution c = describe(l, 1);
  c.x = padded(l, 0, c.windows, make_const(0, compute_type(l.in(0).dtype)));
  if (l.has_input(2)) {
    Operand bias = l.operand(2);
    c.finish = [bias](const Expr& sum, const Expr& channel) { return sum + bias.at({channel}); };
  }
  convolve(l, c);
}

void lower_conv_integer(NodeLowering& l) {
  Convolution c = describe(l, 1);
  ZeroPoint x_zero = zero_point(l, 2), w_zero = zero_point(l, 3);
  // What lies outside stands for 0, so it is padded with the zero point.
  c.x = padded(l, 0, c.windows, x_zero.stored(make_int(0), l.in(0).dtype));
  c.product = [=](const Expr& x, const Expr& w, const Expr& channel) {
    return x_zero.subtract(x, make_int(0)) * w_zero.subtract(w, channel);
  };
  convolve(l, c);
}

void lower_qlinear_conv(NodeLowering& l) {
  // x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias?
  Convolution c = describe(l, 3);
  ZeroPoint x_zero = zero_point(l, 2), w_zero = zero_point(l, 5);
  Operand x_scale = l.operand(1), w_scale = l.operand(4), y_scale = l.operand(6);
  c.x = padded(l, 0, c.windows, x_zero.stored(make_int(0), l.in(0).dtype));
  c.product = [=](const Expr& x, const Expr& w, const Expr& channel) {
    return x_zero.subtract(x, make_int(0)) * w_zero.subtract(w, channel);
  };
  c.finish = [&](const Expr& sum, const Expr& channel) {
    Expr total = l.has_input(8) ? sum + l.operand(8).at({channel}) : sum;
    Expr scale = divide(read_parameter(x_scale, channel) * read_parameter(w_scale, channel), read_parameter(y_scale, channel));
    Expr zero = l.has_input(7) ? read_parameter(l.operand(7), channel) : Expr();
    return quantized(make_cast(total, scale->dtype) * scale, zero, l.out().dtype);
  };
  convolve(l, c);
}

// y[o] = Σ_k x[(o + pad - k·dilation) / stride]·w[k] over the k for which that is an integer. Written as a convolution with the
// kernel turned round: x is spread out with stride-1 zeros between its elements (a stage of its own), so that every access is
// affine.
void lower_conv_transpose(NodeLowering& l) {
  const Shape& xs = l.in(0).shape;
  const Shape& ws = l.in(1).shape;  // [C, M/group, k…]
  Convolution c;
  c.group = l.node.attr_int("group", 1);
  c.in_channels = xs[1];
  c.out_channels = ws[1] * c.group;
  if (c.group < 1 || ws[0] != c.in_channels || c.in_channels % c.group != 0) {
    l.bad_model("group " + std::to_string(c.group) + " with " + std::to_string(c.in_channels) + " channels and weights " +
                to_string(ws));
  }
  std::vector<Window> given = windows(l, xs, l.out().shape, {ws.begin() + 2, ws.end()});
  Shape spread_shape = xs;
  bool spread = false;
  for (size_t d = 0; d < given.size(); ++d) {
    Window w = given[d];
    w.stride = 1;
    w.in = spread_shape[d + 2] = w.reach();
    spread = spread || given[d].stride != 1 || given[d].pad_begin != (w.kernel - 1) * w.dilation || w.in != given[d].in;
    c.windows.push_back(w);
  }
  c.x = l.operand(0);
  if (spread) {
    Operand x = c.x;
    int tensor = l.internal("spread", l.in(0).dtype, spread_shape, l.in(0).order);
    map_stage(l.b, l.name("spread"), tensor, [&](const Indices& at) {
      Indices from = at;
      Expr inside;
      for (size_t d = 0; d < given.size(); ++d) {
        const Window& w = given[d];
        // Element u of the spread tensor is x[(u - first) / stride].
        int64_t first = (w.kernel - 1) * w.dilation - w.pad_begin;
        Expr offset = at[d + 2] - first;
        if (first > 0) inside = both(inside, less_equal(make_int(first), at[d + 2]));
        if (spread_shape[d + 2] - 1 - first > (w.in - 1) * w.stride)
          inside = both(inside, less_equal(offset, make_int((w.in - 1) * w.stride)));
        if (w.stride > 1) inside = both(inside, equals(floor_mod(offset, w.stride), make_int(0)));
        from[d + 2] = floor_div(offset, w.stride);
      }
      return inside ? make_select(inside, x.at(from), make_const(0, x.dtype)) : x.at(from);
    });
    c.x = l.tensor_operand(tensor);
  }
  Operand weights = l.operand(1);
  int64_t cig = c.in_channels / c.group;
  c.weight = [&](const Expr& g, const Expr& co, const Expr& ci, const Indices& k) {
    Indices at = {g * cig + ci, co};
    for (size_t d = 0; d < k.size(); ++d) at.push_back(make_int(c.windows[d].kernel - 1) - k[d]);
    return weights.at(at);
  };
  if (l.has_input(2)) {
    Operand bias = l.operand(2);
    c.finish = [bias](const Expr& sum, const Expr& channel) { return sum + bias.at({channel}); };
  }
  convolve(l, c);
}

}  // namespace tlm::ir
