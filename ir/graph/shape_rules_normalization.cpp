// Normalisations of [batch, channels, …] and of trailing dimensions.
#include <numeric>

#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

void need_float(RuleContext& c) {
  if (!is_float(c.dtype(0)))
    c.fail("input has type " + std::string(dtype_name(c.dtype(0))) + "; a floating-point type is needed");
}

// Inputs first … last are [channels].
void need_channels(RuleContext& c, int first, int last, int64_t channels) {
  for (int i = first; i <= last; ++i)
    if (c.shape(i) != Shape{channels})
      c.fail("input '" + c.g.value(c.input(i)).name + "' has shape " + to_string(c.shape(i)) + "; input of shape " +
             to_string(c.shape(0)) + " has " + std::to_string(channels) + " channels");
}

}  // namespace

void rule_batch_norm(RuleContext& c) {
  need_float(c);
  c.require_rank(0, 2);
  const int64_t channels = c.shape(0)[1];
  need_channels(c, 1, 4, channels);
  const bool training = c.attr_int("training_mode") != 0;
  if (!training && c.node().outputs.size() > 1) {
    for (size_t i = 1; i < c.node().outputs.size(); ++i)
      if (c.node().outputs[i].valid()) c.unsupported("training: more than one output");
  }
  c.output(0, c.dtype(0), c.shape(0));
  c.output(1, c.dtype(3), {channels});
  c.output(2, c.dtype(4), {channels});
}

void rule_instance_norm(RuleContext& c) {
  need_float(c);
  c.require_rank(0, 3);
  need_channels(c, 1, 2, c.shape(0)[1]);
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_group_norm(RuleContext& c) {
  need_float(c);
  c.require_rank(0, 3);
  const int64_t channels = c.shape(0)[1], groups = c.attr_int("num_groups");
  if (groups < 1 || channels % groups != 0)
    c.fail(std::to_string(channels) + " channels do not divide into " + std::to_string(groups) + " groups");
  need_channels(c, 1, 2, channels);
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_layer_norm(RuleContext& c) {
  need_float(c);
  c.require_rank(0, 1);
  const auto axis = static_cast<size_t>(c.axis_attr("axis", c.rank(0)));
  const Shape& x = c.shape(0);
  const Shape tail(x.begin() + static_cast<std::ptrdiff_t>(axis), x.end());
  for (int i = 1; i <= 2; ++i) {
    if (i == 2 && !c.has(2)) continue;
    const Shape& s = c.shape(i);
    bool fits = s.size() <= tail.size();
    for (size_t d = 0; fits && d < s.size(); ++d) fits = s[d] == 1 || s[d] == tail[tail.size() - s.size() + d];
    if (!fits)
      c.fail("input '" + c.g.value(c.input(i)).name + "' of shape " + to_string(s) +
             " does not broadcast to the normalised shape " + to_string(tail));
  }
  Shape statistics = x;
  for (size_t d = axis; d < statistics.size(); ++d) statistics[d] = 1;
  c.keep_inputs(3);
  c.output(0, c.dtype(0), c.shape(0));
  c.output(1, DType::kF32, statistics);
  c.output(2, DType::kF32, statistics);
}

void rule_lrn(RuleContext& c) {
  need_float(c);
  c.require_rank(0, 2);
  if (c.attr_int("size") < 1) c.fail("size is " + std::to_string(c.attr_int("size")));
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_lp_norm(RuleContext& c) {
  need_float(c);
  c.require_rank(0, 1);
  c.axis_attr("axis", c.rank(0));
  const int64_t p = c.attr_int("p");
  if (p != 1 && p != 2) c.fail("p is " + std::to_string(p) + "; 1 and 2 exist");
  c.output(0, c.dtype(0), c.shape(0));
}

void rule_mean_variance_norm(RuleContext& c) {
  need_float(c);
  c.set("axes", c.normal_axes(c.attr_ints("axes"), c.rank(0)));
  c.output(0, c.dtype(0), c.shape(0));
}

}  // namespace tlm::ir
