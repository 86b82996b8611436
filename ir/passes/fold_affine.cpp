// y = x·scale + shift with constants for each channel, folded into the weights of the convolution or matrix product that makes x.
// Exact up to rounding: products are formed in double and rounded once. Weights are copied, so other readers keep theirs.
#include <algorithm>
#include <cmath>

#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/ir/passes/uses.h"

namespace tlm::ir {
namespace {

// y[…, c, …] = x[…, c, …]·scale[c] + shift[c] along `axis` of x; empty vectors stand for 1 and 0. Vectors of one element hold
// for every channel, whatever the axis.
struct ChannelAffine {
  ValueId x;
  int axis = -1;  // -1: vectors have one element
  std::vector<double> scale, shift;
};

bool foldable_type(DType t) { return t == DType::kF32 || t == DType::kF64; }

const Tensor* constant_of(const Graph& g, ValueId v) {
  return v.valid() && g.value(v).constant ? &*g.value(v).constant : nullptr;
}

std::vector<double> to_f64(const Tensor& t) {
  std::vector<double> result(static_cast<size_t>(t.size()));
  for (int64_t i = 0; i < t.size(); ++i) result[static_cast<size_t>(i)] = t.at_f64(i);
  return result;
}

double at(const std::vector<double>& v, int64_t c, double otherwise) {
  return v.empty() ? otherwise : v[v.size() == 1 ? 0 : static_cast<size_t>(c)];
}

bool all_finite(const std::vector<double>& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
}

// The axis of `shape` along which a constant of shape `c` varies when it is broadcast to it: -1 for a single element, nothing if
// it varies along several or does not fit.
std::optional<int> channel_axis(const Shape& shape, const Shape& c) {
  if (c.size() > shape.size()) return std::nullopt;
  int axis = -1;
  for (size_t i = 0; i < c.size(); ++i) {
    const size_t d = shape.size() - c.size() + i;
    if (c[i] == 1) continue;
    if (c[i] != shape[d] || axis >= 0) return std::nullopt;
    axis = static_cast<int>(d);
  }
  return axis;
}

std::optional<ChannelAffine> batch_norm(const Graph& g, const Node& n) {
  if (n.attr_int("training_mode", 0) != 0 || n.inputs.size() != 5) return std::nullopt;
  const Tensor* parameter[4];
  for (size_t i = 0; i < 4; ++i) {
    parameter[i] = constant_of(g, n.inputs[i + 1]);
    if (!parameter[i]) return std::nullopt;
  }
  if (g.value(n.inputs[0]).shape.size() < 2) return std::nullopt;
  const auto gamma = to_f64(*parameter[0]), beta = to_f64(*parameter[1]), mean = to_f64(*parameter[2]),
             var = to_f64(*parameter[3]);
  const double epsilon = n.attr_float("epsilon", 1e-5);
  ChannelAffine a{n.inputs[0], 1, {}, {}};
  for (size_t c = 0; c < gamma.size(); ++c) {
    a.scale.push_back(gamma[c] / std::sqrt(var[c] + epsilon));
    a.shift.push_back(beta[c] - mean[c] * a.scale.back());
  }
  return a;
}

// x+c, x-c, c-x, x·c, x/c.
std::optional<ChannelAffine> arithmetic(const Graph& g, const Node& n) {
  const int side = constant_of(g, n.inputs[1]) ? 1 : constant_of(g, n.inputs[0]) ? 0 : -1;
  if (side < 0) return std::nullopt;
  const ValueId x = n.inputs[static_cast<size_t>(1 - side)];
  const Tensor& c = *constant_of(g, n.inputs[static_cast<size_t>(side)]);
  const Shape& shape = g.value(x).shape;
  const std::optional<int> axis = channel_axis(shape, c.shape());
  if (!axis || g.value(n.outputs[0]).shape != shape) return std::nullopt;
  ChannelAffine a{x, *axis, {}, {}};
  const std::vector<double> values = to_f64(c);
  switch (n.op) {
    case OpKind::kAdd: a.shift = values; return a;
    case OpKind::kMul: a.scale = values; return a;
    case OpKind::kSub:
      a.shift = values;
      if (side == 1) {
        for (double& v : a.shift) v = -v;
      } else {
        a.scale = {-1};
      }
      return a;
    case OpKind::kDiv:
      if (side == 0) return std::nullopt;
      a.scale = values;
      for (double& v : a.scale) v = 1 / v;
      return a;
    default: return std::nullopt;
  }
}

std::optional<ChannelAffine> match_affine(const Graph& g, const Node& n) {
  if (n.outputs.empty() || !n.outputs[0].valid() || !foldable_type(g.value(n.outputs[0]).dtype)) return std::nullopt;
  std::optional<ChannelAffine> a;
  switch (n.op) {
    case OpKind::kBatchNormalization: a = batch_norm(g, n); break;
    case OpKind::kAdd:
    case OpKind::kSub:
    case OpKind::kMul:
    case OpKind::kDiv: a = arithmetic(g, n); break;
    default: break;
  }
  if (a && (!all_finite(a->scale) || !all_finite(a->shift))) return std::nullopt;
  return a;
}

// Where the output channel lies in the weights of a linear operator: element i belongs to channel channel(i).
struct LinearForm {
  size_t weights = 1;    // number of the input that holds them
  int64_t channels = 0;  // of the output
  int axis = 0;          // of the output
  bool has_bias = true;  // the operator takes one, as input 2
  // channel = (i / inner % modulus) + (i / outer) * modulus
  int64_t inner = 1, modulus = 1, outer = 1;
};

std::optional<LinearForm> linear_form(const Graph& g, const Node& n) {
  LinearForm f;
  const auto weights = [&]() -> const Shape* {
    const Tensor* w = n.inputs.size() > 1 ? constant_of(g, n.inputs[1]) : nullptr;
    return w ? &w->shape() : nullptr;
  };
  const auto product = [](const Shape& s, size_t first) {
    int64_t p = 1;
    for (size_t d = first; d < s.size(); ++d) p *= s[d];
    return p;
  };
  const Shape* w = weights();
  if (!w || w->size() < 2) return std::nullopt;
  const int64_t all = product(*w, 0);
  if (all == 0) return std::nullopt;
  switch (n.op) {
    case OpKind::kConv:  // [m, c/group, kernel…]
      f.axis = 1;
      f.channels = (*w)[0];
      f.inner = product(*w, 1), f.modulus = f.channels, f.outer = all;
      return f;
    case OpKind::kConvTranspose: {  // [c, m/group, kernel…]: input channel c belongs to group c / (c_total/group)
      const int64_t group = n.attr_int("group", 1);
      f.axis = 1;
      f.channels = (*w)[1] * group;
      f.inner = product(*w, 2), f.modulus = (*w)[1], f.outer = all / group;
      return f;
    }
    case OpKind::kGemm:
      f.axis = 1;
      if (n.attr_int("transB", 0) != 0) {  // [n, k]
        f.channels = (*w)[0];
        f.inner = (*w)[1], f.modulus = f.channels, f.outer = all;
      } else {  // [k, n]
        f.channels = f.modulus = (*w)[1];
        f.outer = all;
      }
      return f;
    case OpKind::kMatMul:  // […, k, n]
      f.axis = static_cast<int>(g.value(n.outputs[0]).shape.size()) - 1;
      f.channels = f.modulus = w->back();
      f.outer = all;
      f.has_bias = false;
      return f;
    default: return std::nullopt;
  }
}

template <typename T>
Tensor scaled_as(const Tensor& w, const LinearForm& f, const std::vector<double>& scale) {
  Tensor result(w.dtype(), w.shape());
  const auto from = w.as<T>();
  const auto to = result.mutable_as<T>();
  const auto size = static_cast<int64_t>(from.size());
  // Runs of `inner` elements share a channel; `modulus` runs make a cycle.
  for (int64_t begin = 0, run = 0; begin < size; begin += f.inner, ++run) {
    const int64_t c = run % f.modulus + begin / f.outer * f.modulus;
    const double s = at(scale, c, 1);
    for (int64_t i = begin; i < begin + f.inner; ++i)
      to[static_cast<size_t>(i)] = static_cast<T>(from[static_cast<size_t>(i)] * s);
  }
  return result;
}

Tensor scaled(const Tensor& w, const LinearForm& f, const std::vector<double>& scale) {
  return w.dtype() == DType::kF64 ? scaled_as<double>(w, f, scale) : scaled_as<float>(w, f, scale);
}

// The bias of a linear node as one number for each channel (factor beta applied); nothing if it has another form.
std::optional<std::vector<double>> bias_of(const Graph& g, const Node& n, const LinearForm& f) {
  std::vector<double> bias(static_cast<size_t>(f.channels), 0);
  if (n.inputs.size() < 3 || !n.inputs[2].valid()) return bias;
  const Tensor* c = constant_of(g, n.inputs[2]);
  if (!c || (c->size() != 1 && (c->size() != f.channels || c->shape().back() != f.channels))) return std::nullopt;
  const double beta = n.op == OpKind::kGemm ? n.attr_float("beta", 1) : 1;
  for (int64_t i = 0; i < f.channels; ++i) bias[static_cast<size_t>(i)] = beta * c->at_f64(c->size() == 1 ? 0 : i);
  return bias;
}

Tensor vector_tensor(DType t, Shape shape, int64_t n, const std::vector<double>& values, double otherwise) {
  Tensor result(t, std::move(shape));
  for (int64_t i = 0; i < n; ++i) result.set_f64(i, at(values, i, otherwise));
  return result;
}

// `linear` writes x and only `node` reads it: the affine map moves into the weights and `linear` writes node's output.
bool fold_into(Graph& g, const ChannelAffine& a, NodeId node, NodeId linear) {
  const std::optional<LinearForm> f = linear_form(g, g.node(linear));
  if (!f || (a.axis >= 0 && a.axis != f->axis)) return false;
  const bool scales = !a.scale.empty(), shifts = !a.shift.empty();
  if (shifts && !f->has_bias) return false;
  const DType t = g.value(a.x).dtype;
  const std::string name = g.value(g.node(node).outputs[0]).name;
  const bool biased = g.node(linear).inputs.size() > 2 && g.node(linear).inputs[2].valid();
  if (f->has_bias && (shifts || biased)) {
    std::optional<std::vector<double>> bias = bias_of(g, g.node(linear), *f);
    if (!bias) return false;
    for (int64_t c = 0; c < f->channels; ++c) {
      double& b = (*bias)[static_cast<size_t>(c)];
      b = b * at(a.scale, c, 1) + at(a.shift, c, 0);
    }
    const ValueId v = g.add_constant(name + ".bias", vector_tensor(t, {f->channels}, f->channels, *bias, 0));
    g.node(linear).inputs.resize(3);
    g.node(linear).inputs[2] = v;
    if (g.node(linear).op == OpKind::kGemm) g.node(linear).attrs["beta"] = 1.0;
  }
  if (scales) {
    const ValueId old = g.node(linear).inputs[f->weights];
    const ValueId v = g.add_constant(name + ".weights", scaled(*g.value(old).constant, *f, a.scale));
    g.node(linear).inputs[f->weights] = v;
  }
  const ValueId out = g.node(node).outputs[0];
  g.remove_node(node);
  g.value(a.x).producer = {};
  g.node(linear).outputs[0] = out;
  g.value(out).producer = linear;
  return true;
}

// A batch normalisation that stays becomes a product and a sum.
void spell_out(Graph& g, const ChannelAffine& a, NodeId node) {
  const ValueId out = g.node(node).outputs[0];
  const std::string name = g.value(out).name;
  const DType t = g.value(out).dtype;
  Shape shape(g.value(out).shape.size(), 1);
  const int64_t channels = g.value(out).shape[1];
  shape[1] = channels;
  const std::string node_name = g.node(node).name;
  g.remove_node(node);
  const ValueId scale = g.add_constant(name + ".scale", vector_tensor(t, shape, channels, a.scale, 1));
  const ValueId shift = g.add_constant(name + ".shift", vector_tensor(t, shape, channels, a.shift, 0));
  Value product = g.value(out);
  product.name = name + ".scaled";
  const ValueId middle = g.add_value(product);
  const auto add = [&](OpKind op, ValueId x, ValueId c, ValueId y) {
    Node n;
    n.op = op;
    n.name = node_name;
    n.inputs = {x, c};
    n.outputs = {y};
    infer_node(g, g.add_node(std::move(n)));
  };
  add(OpKind::kMul, a.x, scale, middle);
  add(OpKind::kAdd, middle, shift, out);
}

}  // namespace

bool fold_affine(Graph& g) {
  bool changed = false;
  // Folding one node lets the next of a chain fold too: only readers of x matter, and each fold hands x's producer on.
  const Uses uses(g);
  for (NodeId id : g.topological_order()) {
    const std::optional<ChannelAffine> a = match_affine(g, g.node(id));
    if (!a) continue;
    const NodeId producer = g.value(a->x).producer;
    if (producer.valid() && uses.only_reader(a->x) && fold_into(g, *a, id, producer)) {
      changed = true;
    } else if (g.node(id).op == OpKind::kBatchNormalization) {
      spell_out(g, *a, id);
      changed = true;
    }
  }
  if (changed) g.compact();
  return changed;
}

}  // namespace tlm::ir
