#include "tlm/tools/collect/layer_builder.h"

#include <algorithm>

#include "tlm/ir/graph/op_table.h"

namespace tlm::collect {

using ir::OpKind;
using ir::ValueId;

ValueId LayerBuilder::input(Shape shape) {
  ir::Value v;
  v.name = "x" + std::to_string(number_++);
  v.shape = std::move(shape);
  graph_.inputs.push_back(graph_.add_value(std::move(v)));
  return graph_.inputs.back();
}

ValueId LayerBuilder::constant(Shape shape, double value) {
  Tensor t(DType::kF32, std::move(shape));
  std::ranges::fill(t.mutable_as<float>(), static_cast<float>(value));
  return graph_.add_constant("c" + std::to_string(number_++), std::move(t));
}

ValueId LayerBuilder::op(OpKind kind, std::vector<ValueId> inputs, ir::Attributes attrs, const std::string& name) {
  const std::string called = name.empty() ? "layer" + std::to_string(number_++) : name;
  return ir::add_op(graph_, kind, std::move(inputs), std::move(attrs), called)[0];
}

ValueId LayerBuilder::window(ValueId x, const WindowShape& s, const std::string& name) {
  const int64_t inputs = shape(x)[1] / s.group;
  const int64_t ph = s.padded ? (s.kernel_h - 1) * s.dilation / 2 : 0, pw = s.padded ? (s.kernel_w - 1) * s.dilation / 2 : 0;
  return op(OpKind::kConv, {x, constant({s.channels, inputs, s.kernel_h, s.kernel_w}), constant({s.channels})},
            {{"kernel_shape", std::vector<int64_t>{s.kernel_h, s.kernel_w}},
             {"strides", std::vector<int64_t>{s.stride, s.stride}},
             {"dilations", std::vector<int64_t>{s.dilation, s.dilation}},
             {"pads", std::vector<int64_t>{ph, pw, ph, pw}},
             {"group", s.group}},
            name);
}

ValueId LayerBuilder::activation(ValueId x, Activation a) {
  switch (a) {
    case Activation::kNone: return x;
    case Activation::kRelu: return op(OpKind::kRelu, {x});
    case Activation::kRelu6: return op(OpKind::kClip, {x, constant({}, 0), constant({}, 6)});
    case Activation::kLeaky: return op(OpKind::kLeakyRelu, {x}, {{"alpha", 0.1}});
    case Activation::kSilu: return multiply(x, op(OpKind::kSigmoid, {x}));
    case Activation::kHardSwish: return op(OpKind::kHardSwish, {x});
    case Activation::kSigmoid: return op(OpKind::kSigmoid, {x});
    case Activation::kGelu: {  // exact, as exporters spell it
      const ValueId erf = op(OpKind::kErf, {op(OpKind::kDiv, {x, constant({}, 1.41421356)})});
      return multiply(multiply(x, constant({})), add(erf, constant({}, 1)));
    }
    case Activation::kGeluTanh: {
      const ValueId cube = multiply(multiply(x, multiply(x, x)), constant({}, 0.044715));
      const ValueId tanh = op(OpKind::kTanh, {multiply(add(x, cube), constant({}, 0.7978845608))});
      return multiply(multiply(x, constant({})), add(tanh, constant({}, 1)));
    }
  }
  return x;
}

ValueId LayerBuilder::dense(ValueId x, int64_t width, bool bias) {
  const ValueId y = op(OpKind::kMatMul, {x, constant({shape(x).back(), width})});
  return bias ? add(y, constant({width})) : y;
}

ValueId LayerBuilder::reshape(ValueId x, Shape shape) {
  return op(OpKind::kReshape, {x}, {{"shape", std::vector<int64_t>(shape.begin(), shape.end())}});
}

ValueId LayerBuilder::transpose(ValueId x, std::vector<int64_t> perm) {
  return op(OpKind::kTranspose, {x}, {{"perm", std::move(perm)}});
}

ValueId LayerBuilder::split_heads(ValueId x, int64_t heads, bool keys) {
  const Shape s = shape(x);
  const ValueId split = reshape(x, {s[0], heads, s[1] / heads});
  return transpose(split, keys ? std::vector<int64_t>{1, 2, 0} : std::vector<int64_t>{1, 0, 2});
}

ValueId LayerBuilder::merge_heads(ValueId x) {
  const Shape s = shape(x);
  return reshape(transpose(x, {1, 0, 2}), {s[1], s[0] * s[2]});
}

ValueId LayerBuilder::image(int64_t channels, int64_t h, int64_t w) {
  return window(input({1, 2, h, w}), WindowShape::square(channels, 1),
                kAround + std::string("image") + std::to_string(number_++));
}

void LayerBuilder::consume(ValueId image) {
  output(window(image, WindowShape::square(2, 1), kAround + std::string("reader") + std::to_string(number_++)));
}

void LayerBuilder::output(ValueId v) {
  graph_.value(v).name = "y" + std::to_string(number_++);
  graph_.outputs.push_back(v);
}

ir::Graph LayerBuilder::finish() {
  ir::verify(graph_);
  return std::move(graph_);
}

}  // namespace tlm::collect
