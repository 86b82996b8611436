// Operators that move elements: joining, cutting, padding, repeating.
#include <algorithm>
#include <numeric>

#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

void rule_concat(RuleContext& c) {
  c.require_rank(0, 1);
  const auto axis = static_cast<size_t>(c.axis_attr("axis", c.rank(0)));
  Shape y = c.shape(0);
  for (int i = 1; i < c.inputs(); ++i) {
    c.require_same_dtype(0, i);
    const Shape& s = c.shape(i);
    bool fits = s.size() == y.size();
    for (size_t d = 0; fits && d < s.size(); ++d) fits = d == axis || s[d] == y[d];
    if (!fits)
      c.fail("shapes " + to_string(c.shape(0)) + " and " + to_string(s) + " do not join along axis " + std::to_string(axis));
    y[axis] = checked_add(c, y[axis], s[axis]);
  }
  c.output(0, c.dtype(0), std::move(y));
}

void rule_split(RuleContext& c) {
  c.require_rank(0, 1);
  const auto axis = static_cast<size_t>(c.axis_attr("axis", c.rank(0)));
  const Shape x = c.shape(0);
  const int64_t extent = x[axis];
  const auto parts = static_cast<int64_t>(c.node().outputs.size());
  std::vector<int64_t> sizes;
  if (const auto given = c.attr_or_input("split", 1); given && !given->empty()) {
    sizes = *given;
  } else {
    const int64_t n = c.node().attr_int("num_outputs", parts);
    if (n < 1 || n < parts)
      c.fail("num_outputs is " + std::to_string(n) + "; the node has " + std::to_string(parts) + " outputs");
    if (n > extent && extent > 0)
      c.fail("axis " + std::to_string(axis) + " of shape " + to_string(x) + " does not divide into " + std::to_string(n) +
             " parts");
    if (!c.has_attr("num_outputs") && extent % n != 0)
      c.fail("axis " + std::to_string(axis) + " of shape " + to_string(x) + " does not divide into " + std::to_string(n) +
             " equal parts");
    const int64_t chunk = (extent + n - 1) / n;
    for (int64_t i = 0; i < n; ++i) sizes.push_back(std::clamp<int64_t>(extent - i * chunk, 0, chunk));
  }
  int64_t sum = 0;
  for (const int64_t s : sizes) {
    if (s < 0) c.fail("split " + to_string(sizes) + " has a negative size");
    sum = checked_add(c, sum, s);
  }
  if (sum != extent)
    c.fail("split " + to_string(sizes) + " adds to " + std::to_string(sum) + "; axis " + std::to_string(axis) + " of shape " +
           to_string(x) + " has extent " + std::to_string(extent));
  if (static_cast<int64_t>(sizes.size()) < parts)
    c.fail("split " + to_string(sizes) + " has fewer entries than the node has outputs: " + std::to_string(parts));
  c.node().attrs.erase("num_outputs");
  c.set("split", sizes);
  c.keep_inputs(1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    Shape y = x;
    y[axis] = sizes[i];
    c.output(static_cast<int>(i), c.dtype(0), std::move(y));
  }
}

void rule_slice(RuleContext& c) {
  const Shape x = c.shape(0);
  const size_t rank = x.size();
  if (c.has_attr("extents")) {  // canonical already: check it against the (perhaps new) input
    const auto starts = c.attr_ints("starts"), steps = c.attr_ints("steps"), extents = c.attr_ints("extents");
    bool fits = starts.size() == rank && steps.size() == rank && extents.size() == rank;
    for (size_t d = 0; fits && d < rank; ++d) {
      if (extents[d] <= 0) {
        fits = extents[d] == 0;
        continue;
      }
      const int64_t last = checked_add(c, starts[d], checked_mul(c, extents[d] - 1, steps[d]));
      fits = std::min(starts[d], last) >= 0 && std::max(starts[d], last) < x[d];
    }
    if (!fits)
      c.fail("slice from " + to_string(starts) + " by " + to_string(steps) + " of extents " + to_string(extents) +
             " leaves input of shape " + to_string(x));
    c.output(0, c.dtype(0), extents);
    return;
  }
  const auto starts = c.attr_or_input("starts", 1), ends = c.attr_or_input("ends", 2);
  if (!starts || !ends) c.fail(std::string("input ") + (starts ? "2 is missing: ends" : "1 is missing: starts"));
  std::vector<int64_t> axes(starts->size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = c.attr_or_input("axes", 3).value_or(axes);
  const auto steps = c.attr_or_input("steps", 4).value_or(std::vector<int64_t>(starts->size(), 1));
  if (ends->size() != starts->size() || axes.size() != starts->size() || steps.size() != starts->size())
    c.fail("starts " + to_string(*starts) + ", ends " + to_string(*ends) + ", axes " + to_string(axes) + " and steps " +
           to_string(steps) + " have different lengths");
  std::vector<int64_t> from(rank, 0), by(rank, 1);
  Shape y = x;
  std::vector<char> seen(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<size_t>(c.normal_axis(axes[i], static_cast<int>(rank)));
    if (seen[d]++) c.fail("axis " + std::to_string(d) + " is given twice");
    const int64_t step = steps[i], extent = x[d];
    if (step == 0) c.fail("steps " + to_string(steps) + " has a 0");
    const auto wrap = [&](int64_t v) { return v < 0 ? (v < -extent ? -1 : v + extent) : v; };  // -1: before the first element
    int64_t first = wrap((*starts)[i]), last = wrap((*ends)[i]);
    if (step > 0) {
      first = std::clamp<int64_t>(first, 0, extent);
      last = std::clamp<int64_t>(last, 0, extent);
      const __int128 n = (static_cast<__int128>(last) - first + step - 1) / step;
      y[d] = last <= first ? 0 : static_cast<int64_t>(n);
    } else {
      first = std::clamp<int64_t>(first, 0, std::max<int64_t>(extent - 1, 0));
      last = std::clamp<int64_t>(last, -1, std::max<int64_t>(extent - 1, 0));
      const __int128 down = -static_cast<__int128>(step);
      const __int128 n = (static_cast<__int128>(first) - last + down - 1) / down;
      y[d] = extent == 0 || first <= last ? 0 : static_cast<int64_t>(n);
    }
    // One element or none needs no step; a huge step would overflow index arithmetic later.
    by[d] = y[d] <= 1 ? 1 : step;
    from[d] = y[d] == 0 ? 0 : first;
  }
  for (const char* key : {"ends", "axes"}) c.node().attrs.erase(key);
  c.set("starts", from);
  c.set("steps", by);
  c.set("extents", y);
  c.keep_inputs(1);
  c.output(0, c.dtype(0), std::move(y));
}

// From ONNX [x, pads, value?, axes?], or canonical [x, value?] with attribute pads.
void rule_pad(RuleContext& c) {
  const Shape x = c.shape(0);
  const size_t rank = x.size();
  if (!c.has_attr("pads")) {
    if (!c.has(1)) c.fail("input 1 is missing: pads");
    const std::vector<int64_t> given = c.const_ints(1, "pads");
    std::vector<int64_t> axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    if (c.has(3)) axes = c.const_ints(3, "axes");
    if (given.size() != 2 * axes.size())
      c.fail("pads " + to_string(given) + " has not two entries for each of " + std::to_string(axes.size()) + " axes");
    std::vector<int64_t> pads(2 * rank, 0);
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto d = static_cast<size_t>(c.normal_axis(axes[i], static_cast<int>(rank)));
      pads[d] = given[i];
      pads[rank + d] = given[axes.size() + i];
    }
    c.set("pads", pads);
    const ValueId value = c.has(2) ? c.input(2) : ValueId{};
    c.node().inputs = {c.input(0), value};
  }
  c.keep_inputs(2);
  const std::vector<int64_t> pads = c.attr_ints("pads");
  if (pads.size() != 2 * rank)
    c.fail("pads " + to_string(pads) + " has not two entries for each dimension of shape " + to_string(x));
  const std::string mode = c.node().attr_string("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    c.fail("mode is '" + mode + "'; constant, reflect, edge and wrap exist");
  if (c.has(1)) {
    c.require_same_dtype(0, 1);
    if (element_count(c.shape(1)) != 1) c.fail("constant_value has shape " + to_string(c.shape(1)) + "; a scalar is needed");
  }
  Shape y;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t begin = pads[d], end = pads[rank + d];
    y.push_back(checked_add(c, x[d], checked_add(c, begin, end)));
    if (y[d] < 0 || begin < -x[d] || end < -x[d])
      c.fail("pads " + to_string(pads) + " crop more than shape " + to_string(x) + " has");
    if (mode == "reflect" && std::max(begin, end) >= std::max<int64_t>(x[d], 1))
      c.fail("pads " + to_string(pads) + " reflect more than shape " + to_string(x) + " has");
    if (mode != "constant" && x[d] == 0 && y[d] > 0)
      c.fail("dimension " + std::to_string(d) + " of shape " + to_string(x) + " has nothing to repeat");
  }
  c.output(0, c.dtype(0), std::move(y));
}

void rule_expand(RuleContext& c) {
  const auto wanted = c.attr_or_input("shape", 1);
  if (!wanted) c.fail("input 1 is missing: shape");
  const Shape& x = c.shape(0);
  Shape y(std::max(x.size(), wanted->size()), 1);
  for (size_t d = 0; d < y.size(); ++d) {
    const int64_t a = d + x.size() >= y.size() ? x[d + x.size() - y.size()] : 1;
    const int64_t b = d + wanted->size() >= y.size() ? (*wanted)[d + wanted->size() - y.size()] : 1;
    if (b < 0) c.fail("shape " + to_string(*wanted) + " has a negative extent");
    if (a != b && a != 1 && b != 1) c.fail("input of shape " + to_string(x) + " does not broadcast with " + to_string(*wanted));
    y[d] = a == 1 ? b : a;
  }
  c.set("shape", y);
  c.keep_inputs(1);
  c.output(0, c.dtype(0), std::move(y));
}

void rule_tile(RuleContext& c) {
  const auto repeats = c.attr_or_input("repeats", 1);
  if (!repeats) c.fail("input 1 is missing: repeats");
  Shape y = c.shape(0);
  if (repeats->size() != y.size())
    c.fail("repeats " + to_string(*repeats) + " has not one entry for each dimension of shape " + to_string(y));
  for (size_t d = 0; d < y.size(); ++d) {
    if ((*repeats)[d] < 0) c.fail("repeats " + to_string(*repeats) + " has a negative entry");
    y[d] = checked_mul(c, y[d], (*repeats)[d]);
  }
  c.set("repeats", *repeats);
  c.keep_inputs(1);
  c.output(0, c.dtype(0), std::move(y));
}

void rule_trilu(RuleContext& c) {
  c.require_rank(0, 2);
  if (c.has(1)) c.set("k", c.const_int(1, "k"));
  // Beyond the matrix every k means the same; a small one keeps index arithmetic in range.
  const Shape& x = c.shape(0);
  const int64_t reach = checked_add(c, x[x.size() - 2], x.back());
  c.set("k", std::clamp(c.attr_int("k"), -reach, reach));
  c.keep_inputs(1);
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_reverse_sequence(RuleContext& c) {
  c.require_rank(0, 2);
  const int64_t batch = c.axis_attr("batch_axis", c.rank(0)), time = c.axis_attr("time_axis", c.rank(0));
  if (batch == time) c.fail("batch_axis and time_axis are both " + std::to_string(batch));
  const Shape expected = {c.shape(0)[static_cast<size_t>(batch)]};
  if (c.shape(1) != expected)
    c.fail("sequence_lens has shape " + to_string(c.shape(1)) + "; " + to_string(expected) + " is needed");
  c.output(0, c.dtype(0), c.shape(0));
}

}  // namespace tlm::ir
