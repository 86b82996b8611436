#include "tlm/ir/lowering/window.h"

namespace tlm::ir {
namespace {

// "h", "w" for two dimensions, "d" first for three.
std::string dimension_name(size_t d, size_t rank) {
  static const char* const kNames[] = {"d", "h", "w"};
  return rank <= 3 ? kNames[3 - rank + d] : std::to_string(d);
}

}  // namespace

std::vector<Window> windows(const NodeLowering& l, const Shape& in, const Shape& out, std::vector<int64_t> kernel) {
  size_t n = in.size() - 2;
  std::vector<int64_t> shape = l.ints("kernel_shape"), strides = l.ints("strides"), dilations = l.ints("dilations"),
                       pads = l.ints("pads");
  if (shape.empty()) shape = std::move(kernel);
  if (shape.size() != n)
    l.bad_model("kernel_shape has " + std::to_string(shape.size()) + " entries for " + std::to_string(n) + " dimensions");
  std::vector<Window> result(n);
  for (size_t d = 0; d < n; ++d) {
    Window& w = result[d];
    w.in = in[d + 2];
    w.out = out[d + 2];
    w.kernel = shape[d];
    if (d < strides.size()) w.stride = strides[d];
    if (d < dilations.size()) w.dilation = dilations[d];
    if (pads.size() == 2 * n) {
      w.pad_begin = pads[d];
      w.pad_end = pads[d + n];
    }
  }
  return result;
}

Operand padded(NodeLowering& l, int input, const std::vector<Window>& windows, Expr value, int first) {
  Operand x = l.operand(input);
  Shape shape = x.shape;
  bool outside = false;
  for (size_t d = 0; d < windows.size(); ++d) {
    const Window& w = windows[d];
    outside = outside || w.pad_begin != 0 || w.reach() > w.in;
    shape[static_cast<size_t>(first) + d] = w.reach();
  }
  if (!outside) return x;
  int tensor = l.internal("pad", l.in(input).dtype, shape, l.in(input).order);
  map_stage(l.b, l.name("pad"), tensor, [&](const Indices& at) {
    Indices from = at;
    Expr inside;
    for (size_t d = 0; d < windows.size(); ++d) {
      const Window& w = windows[d];
      size_t dim = static_cast<size_t>(first) + d;
      from[dim] = at[dim] - w.pad_begin;
      if (w.pad_begin > 0) inside = both(inside, less_equal(make_int(w.pad_begin), at[dim]));
      if (w.reach() > w.in + w.pad_begin) inside = both(inside, less(at[dim], make_int(w.in + w.pad_begin)));
    }
    return inside ? make_select(inside, x.at(from), value) : x.at(from);
  });
  return l.tensor_operand(tensor);
}

Indices output_axes(StageDraft& s, const std::vector<Window>& windows) {
  Indices o;
  for (size_t d = 0; d < windows.size(); ++d) o.push_back(s.spatial("o" + dimension_name(d, windows.size()), windows[d].out));
  return o;
}

Indices kernel_axes(StageDraft& s, const std::vector<Window>& windows) {
  Indices k;
  for (size_t d = 0; d < windows.size(); ++d) k.push_back(s.reduce("k" + dimension_name(d, windows.size()), windows[d].kernel));
  return k;
}

Expr window_index(const Window& w, const Expr& o, const Expr& k) { return o * w.stride + k * w.dilation; }

}  // namespace tlm::ir
