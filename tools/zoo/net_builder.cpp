#include "tlm/tools/zoo/net_builder.h"

#include <algorithm>
#include <cmath>

#include "tlm/core/hash.h"
#include "tlm/ir/graph/op_table.h"

namespace tlm::tools {

using ir::OpKind;
using ir::ValueId;

NetBuilder::NetBuilder(std::string name, uint64_t seed) : seed_(seed) { graph_.name = std::move(name); }

ValueId NetBuilder::input(const std::string& name, Shape shape) {
  ir::Value v;
  v.name = name;
  v.shape = std::move(shape);
  graph_.inputs.push_back(graph_.add_value(std::move(v)));
  return graph_.inputs.back();
}

ValueId NetBuilder::op(OpKind kind, const std::string& name, std::vector<ValueId> inputs, ir::Attributes attrs) {
  return ir::add_op(graph_, kind, std::move(inputs), std::move(attrs), name)[0];
}

ValueId NetBuilder::normal(const std::string& name, Shape shape, double mean, double deviation) {
  Rng rng(Hasher().number(static_cast<int64_t>(seed_)).text(name).value());
  Tensor t(DType::kF32, std::move(shape));
  for (float& x : t.mutable_as<float>()) x = static_cast<float>(mean + deviation * rng.normal());
  return graph_.add_constant(name, std::move(t));
}

NetBuilder::Spread NetBuilder::spread(ValueId v) const {
  const auto it = spread_.find(v);
  return it == spread_.end() ? Spread{} : it->second;
}

ValueId NetBuilder::conv(const std::string& name, ValueId x, const ConvShape& s, bool bias) {
  const int64_t inputs = shape(x)[1] / s.group;
  const double fan_in = static_cast<double>(inputs * s.kernel * s.kernel);
  std::vector<ValueId> operands = {x,
                                   normal(name + ".weight", {s.channels, inputs, s.kernel, s.kernel}, 0, std::sqrt(2 / fan_in))};
  if (bias) operands.push_back(normal(name + ".bias", {s.channels}, 0, 0.1));
  const ValueId y = op(OpKind::kConv, name, operands,
                       {{"kernel_shape", std::vector<int64_t>{s.kernel, s.kernel}},
                        {"strides", std::vector<int64_t>{s.stride, s.stride}},
                        {"pads", std::vector<int64_t>(4, s.pad)},
                        {"group", s.group}});
  spread_[y] = {2 * spread(x).power, true};
  return y;
}

ValueId NetBuilder::batch_norm(const std::string& name, ValueId x, double gain) {
  const Shape channels = {shape(x)[1]};
  const double deviation = std::sqrt(spread(x).power);
  const ValueId scale = normal(name + ".weight", channels, gain, 0.1 * gain);
  const ValueId bias = normal(name + ".bias", channels, 0, 0.1);
  const ValueId mean = normal(name + ".running_mean", channels, 0, 0.1 * deviation);
  const ValueId variance = normal(name + ".running_var", channels, spread(x).power, 0);
  Tensor& v = *graph_.value(variance).constant;
  Rng rng(Hasher().number(static_cast<int64_t>(seed_)).text(name).value());
  for (float& e : v.mutable_as<float>()) e *= static_cast<float>(0.8 + 0.4 * rng.uniform());
  const ValueId y = op(OpKind::kBatchNormalization, name, {x, scale, bias, mean, variance}, {{"epsilon", 1e-5}});
  spread_[y] = {gain * gain, true};
  return y;
}

ValueId NetBuilder::relu(const std::string& name, ValueId x) {
  const ValueId y = op(OpKind::kRelu, name, {x});
  // Of a sum with something positive little is cut off.
  spread_[y] = {spread(x).power * (spread(x).centred ? 0.5 : 0.9), false};
  return y;
}

ValueId NetBuilder::relu6(const std::string& name, ValueId x) {
  const ValueId y = op(OpKind::kClip, name, {x, normal(name + ".min", {}, 0, 0), normal(name + ".max", {}, 6, 0)});
  spread_[y] = {std::min(spread(x).power, 36.0) * (spread(x).centred ? 0.5 : 0.9), false};
  return y;
}

ValueId NetBuilder::add(const std::string& name, ValueId a, ValueId b) {
  const ValueId y = op(OpKind::kAdd, name, {a, b});
  spread_[y] = {spread(a).power + spread(b).power, spread(a).centred && spread(b).centred};
  return y;
}

ValueId NetBuilder::concat(const std::string& name, const std::vector<ValueId>& parts, int64_t axis) {
  const ValueId y = op(OpKind::kConcat, name, parts, {{"axis", axis}});
  Spread all = {0, true};
  for (const ValueId part : parts) {
    const auto share = static_cast<double>(shape(part)[static_cast<size_t>(axis)]) / shape(y)[static_cast<size_t>(axis)];
    all.power += share * spread(part).power;
    all.centred = all.centred && spread(part).centred;
  }
  spread_[y] = all;
  return y;
}

ValueId NetBuilder::max_pool(const std::string& name, ValueId x, int64_t kernel, int64_t stride, int64_t pad) {
  const ValueId y = op(OpKind::kMaxPool, name, {x},
                       {{"kernel_shape", std::vector<int64_t>{kernel, kernel}},
                        {"strides", std::vector<int64_t>{stride, stride}},
                        {"pads", std::vector<int64_t>(4, pad)}});
  spread_[y] = {3 * spread(x).power, false};
  return y;
}

ValueId NetBuilder::global_average_pool(const std::string& name, ValueId x) {
  const ValueId y = op(OpKind::kGlobalAveragePool, name, {x});
  spread_[y] = {spread(x).power / 2, spread(x).centred};
  return y;
}

ValueId NetBuilder::flatten(const std::string& name, ValueId x) {
  const ValueId y = op(OpKind::kFlatten, name, {x}, {{"axis", int64_t{1}}});
  spread_[y] = spread(x);
  return y;
}

ValueId NetBuilder::linear(const std::string& name, ValueId x, int64_t width) {
  const int64_t k = shape(x)[1];
  const ValueId w = normal(name + ".weight", {width, k}, 0, 1 / std::sqrt(static_cast<double>(k)));
  const ValueId b = normal(name + ".bias", {width}, 0, 0.1);
  const ValueId y = op(OpKind::kGemm, name, {x, w, b}, {{"transB", int64_t{1}}});
  spread_[y] = {spread(x).power, true};
  return y;
}

ValueId NetBuilder::dense(const std::string& name, ValueId x, int64_t width) {
  const int64_t k = shape(x).back();
  const ValueId w = normal(name + ".weight", {k, width}, 0, 1 / std::sqrt(static_cast<double>(k)));
  const ValueId b = normal(name + ".bias", {width}, 0, 0.1);
  const ValueId y = op(OpKind::kAdd, name, {op(OpKind::kMatMul, name + ".product", {x, w}), b});
  spread_[y] = {spread(x).power, true};
  return y;
}

ValueId NetBuilder::layer_norm(const std::string& name, ValueId x) {
  const Shape width = {shape(x).back()};
  const ValueId scale = normal(name + ".weight", width, 1, 0.1), bias = normal(name + ".bias", width, 0, 0.1);
  return op(OpKind::kLayerNormalization, name, {x, scale, bias}, {{"axis", int64_t{-1}}});
}

ValueId NetBuilder::gelu(const std::string& name, ValueId x) {
  const auto constant = [&](const std::string& suffix, double value) { return normal(name + suffix, {}, value, 0); };
  const ValueId erf = op(OpKind::kErf, name + ".erf", {op(OpKind::kDiv, name + ".scaled", {x, constant(".root", 1.41421356)})});
  const ValueId half = op(OpKind::kMul, name + ".half", {x, constant(".half.factor", 0.5)});
  return op(OpKind::kMul, name, {half, op(OpKind::kAdd, name + ".one", {erf, constant(".one.term", 1)})});
}

ValueId NetBuilder::split_heads(const std::string& name, ValueId x, int64_t heads, std::vector<int64_t> perm) {
  const Shape s = shape(x);
  const ValueId split =
      op(OpKind::kReshape, name + ".split", {x}, {{"shape", std::vector<int64_t>{s[0], s[1], heads, s[2] / heads}}});
  return op(OpKind::kTranspose, name + ".heads", {split}, {{"perm", std::move(perm)}});
}

ValueId NetBuilder::merge_heads(const std::string& name, ValueId x) {
  const Shape s = shape(x);
  const ValueId tokens = op(OpKind::kTranspose, name + ".tokens", {x}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  return op(OpKind::kReshape, name + ".merged", {tokens}, {{"shape", std::vector<int64_t>{s[0], s[2], s[1] * s[3]}}});
}

ir::Graph NetBuilder::finish(const std::vector<std::pair<std::string, ValueId>>& outputs) {
  for (const auto& [name, v] : outputs) {
    graph_.value(v).name = name;
    graph_.outputs.push_back(v);
  }
  ir::verify(graph_);
  return std::move(graph_);
}

}  // namespace tlm::tools
