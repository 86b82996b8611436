#include "tlm/ir/graph/shape_rules.h"

#include <algorithm>

namespace tlm::ir {

std::string RuleContext::where() {
  const Node& n = node();
  std::string name = "node '" + n.name + "'";
  if (n.name.empty() && !n.outputs.empty() && n.outputs[0].valid())
    name = "the node of output '" + g.value(n.outputs[0]).name + "'";
  return name + ", operator " + std::string(op_kind_name(n.op)) + ", opset " + std::to_string(opset);
}

void RuleContext::fail(const std::string& what) { throw Error(ErrorCode::kBadModel, what, where()); }

void RuleContext::unsupported(const std::string& what) { throw Error(ErrorCode::kUnsupported, what, where()); }

void RuleContext::data_dependent(const std::string& input_name) {
  throw Error(ErrorCode::kUnsupported, "output shape depends on data: '" + input_name + "' is not constant", where(),
              "bind the model input that determines it to a constant");
}

bool RuleContext::has(int i) { return i < inputs() && node().inputs[static_cast<size_t>(i)].valid(); }

ValueId RuleContext::input(int i) {
  if (!has(i)) fail("input " + std::to_string(i) + " is missing");
  return node().inputs[static_cast<size_t>(i)];
}

const Shape& RuleContext::shape(int i) { return g.value(input(i)).shape; }

DType RuleContext::dtype(int i) { return g.value(input(i)).dtype; }

const Tensor* RuleContext::constant(int i) {
  const auto& c = g.value(input(i)).constant;
  return c ? &*c : nullptr;
}

std::vector<int64_t> RuleContext::const_ints(int i, const std::string& name) {
  const Tensor* t = constant(i);
  if (!t) data_dependent(name);
  if (t->dtype() != DType::kI64 && t->dtype() != DType::kI32)
    fail("input '" + name + "' has type " + std::string(dtype_name(t->dtype())) + ", not i64");
  if (t->shape().size() > 1) fail("input '" + name + "' has shape " + to_string(t->shape()) + ", not one dimension");
  return t->to_i64();
}

int64_t RuleContext::const_int(int i, const std::string& name) {
  if (!constant(i)) unsupported("input '" + name + "' is not constant");
  const std::vector<int64_t> v = const_ints(i, name);
  if (v.size() != 1) fail("input '" + name + "' has " + std::to_string(v.size()) + " elements; one is needed");
  return v[0];
}

std::vector<double> RuleContext::const_floats(int i, const std::string& name) {
  const Tensor* t = constant(i);
  if (!t) data_dependent(name);
  if (t->shape().size() > 1) fail("input '" + name + "' has shape " + to_string(t->shape()) + ", not one dimension");
  std::vector<double> out;
  for (int64_t k = 0; k < t->size(); ++k) out.push_back(t->at_f64(k));
  return out;
}

void RuleContext::keep_inputs(int count) {
  auto& in = node().inputs;
  if (static_cast<int>(in.size()) > count) in.resize(static_cast<size_t>(count));
  while (!in.empty() && !in.back().valid()) in.pop_back();
}

void RuleContext::require_same_dtype(int a, int b) {
  if (dtype(a) != dtype(b)) {
    fail("inputs '" + g.value(input(a)).name + "' and '" + g.value(input(b)).name + "' have types " +
         std::string(dtype_name(dtype(a))) + " and " + std::string(dtype_name(dtype(b))));
  }
}

void RuleContext::require_rank(int i, int at_least, int at_most) {
  if (rank(i) >= at_least && rank(i) <= at_most) return;
  fail("input '" + g.value(input(i)).name + "' has shape " + to_string(shape(i)) + "; " +
       (rank(i) < at_least ? "at least " : "at most ") + std::to_string(rank(i) < at_least ? at_least : at_most) +
       " dimensions are needed");
}

std::optional<std::vector<int64_t>> RuleContext::attr_or_input(const std::string& key, int i) {
  if (has(i)) return const_ints(i, key);
  if (has_attr(key)) return attr_ints(key);
  return std::nullopt;
}

int64_t RuleContext::normal_axis(int64_t axis, int of_rank, bool past_end) {
  const int64_t last = past_end ? of_rank : of_rank - 1;
  if (axis < -of_rank || axis > last)
    fail("axis " + std::to_string(axis) + " is outside [" + std::to_string(-of_rank) + "," + std::to_string(last) + "]");
  return axis < 0 ? axis + of_rank : axis;
}

int64_t RuleContext::axis_attr(const std::string& key, int of_rank, bool past_end) {
  const int64_t axis = normal_axis(attr_int(key), of_rank, past_end);
  set(key, axis);
  return axis;
}

std::vector<int64_t> RuleContext::normal_axes(std::vector<int64_t> axes, int of_rank) {
  for (int64_t& a : axes) a = normal_axis(a, of_rank);
  std::sort(axes.begin(), axes.end());
  const auto twice = std::adjacent_find(axes.begin(), axes.end());
  if (twice != axes.end()) fail("axis " + std::to_string(*twice) + " is given twice");
  return axes;
}

void RuleContext::output(int i, DType t, Shape s) {
  if (i >= static_cast<int>(node().outputs.size())) return;
  const ValueId out = node().outputs[static_cast<size_t>(i)];
  if (!out.valid()) return;
  if (s.size() > 16) unsupported("output has " + std::to_string(s.size()) + " dimensions; at most 16 are supported");
  try {
    element_count(s);
  } catch (const Error& e) {
    fail(e.message());
  }
  g.value(out).dtype = t;
  g.value(out).shape = std::move(s);
}

Shape RuleContext::broadcast(int first, int last) {
  Shape result;
  for (int i = first; i <= last; ++i) {
    if (!has(i)) continue;
    const Shape& s = shape(i);
    if (s.size() > result.size()) result.insert(result.begin(), s.size() - result.size(), 1);
    const size_t lead = result.size() - s.size();
    for (size_t d = 0; d < s.size(); ++d) {
      int64_t& r = result[lead + d];
      if (r == s[d] || s[d] == 1) continue;
      if (r != 1) fail("shapes " + to_string(shape(first)) + " and " + to_string(s) + " do not broadcast");
      r = s[d];
    }
  }
  return result;
}

int64_t checked_mul(RuleContext& c, int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) c.fail("an extent overflows: " + std::to_string(a) + " times " + std::to_string(b));
  return r;
}

int64_t checked_add(RuleContext& c, int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) c.fail("an extent overflows: " + std::to_string(a) + " plus " + std::to_string(b));
  return r;
}

int64_t product(RuleContext& c, const Shape& s, size_t first, size_t last) {
  int64_t r = 1;
  for (size_t d = first; d < last; ++d) r = checked_mul(c, r, s[d]);
  return r;
}

}  // namespace tlm::ir
