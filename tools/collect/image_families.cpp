// Layers of networks for images, channels-last as the graph passes lay them out.
#include <algorithm>
#include <iterator>

#include "tlm/tools/collect/families.h"

namespace tlm::collect {
namespace {

using ir::OpKind;
using ir::ValueId;
using Kind = space::WorkloadKind;

struct Edges {
  int64_t h, w;
};

// Mostly square.
Edges edges(Sizes& z) {
  const int64_t h = z.image();
  return {h, z.chance(85) ? h : z.image()};
}

Activation image_activation(Sizes& z) {
  const Activation all[] = {Activation::kRelu, Activation::kRelu,  Activation::kRelu,      Activation::kRelu6,
                            Activation::kSilu, Activation::kLeaky, Activation::kHardSwish, Activation::kNone};
  return all[z.rng().below(std::size(all))];
}

// He et al. 2015, basic block: two 3×3 windows and a sum; the first may halve the image.
void basic_block(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  const int64_t channels = z.size(16, 512), stride = z.chance(30) ? 2 : 1;
  const int64_t in = stride == 1 ? channels : z.size(16, 512);
  const Activation a = image_activation(z);
  const ValueId x = b.image(in, e.h, e.w);
  ValueId y = b.activation(b.window(x, WindowShape::square(channels, 3, stride)), a);
  y = b.window(y, WindowShape::square(channels, 3));
  if (stride == 1) y = b.add(y, x);
  b.consume(b.activation(y, a));
}

// … bottleneck: 1×1, 3×3 (in groups: Xie et al. 2016), 1×1 and a sum, or 1×1 with a step beside it.
void bottleneck(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  const int64_t group = z.chance(12) ? z.one_of({2, 4, 8, 16, 32}) : 1;
  const int64_t middle = group == 1 ? z.size(16, 512) : group * z.size(4, 32);
  const int64_t stride = z.chance(30) ? 2 : 1, wide = middle * z.one_of({2, 4, 4});
  const int64_t in = stride == 1 ? wide : z.size(32, 1024);
  const Activation a = image_activation(z);
  const ValueId x = b.image(in, e.h, e.w);
  ValueId y = b.activation(b.window(x, WindowShape::square(middle, 1)), a);
  y = b.activation(b.window(y, WindowShape::square(middle, 3, stride, group)), a);
  y = b.window(y, WindowShape::square(wide, 1));
  y = b.add(y, stride == 1 ? x : b.window(x, WindowShape::square(wide, 1, stride)));
  b.consume(b.activation(y, a));
}

// Squeeze and excitation (Hu et al. 2017).
ValueId excite(LayerBuilder& b, Sizes& z, ValueId x, Activation a) {
  const int64_t channels = b.shape(x)[1], narrow = std::max<int64_t>(4, channels / z.one_of({4, 8, 16, 24}));
  ValueId s = b.op(OpKind::kGlobalAveragePool, {x});
  s = b.activation(b.window(s, WindowShape::square(narrow, 1)), a);
  s = b.activation(b.window(s, WindowShape::square(channels, 1)), Activation::kSigmoid);
  return b.multiply(x, s);
}

// Sandler et al. 2018, Howard et al. 2019, Tan and Le 2019: 1×1 up, each channel by itself, 1×1 down.
void inverted_residual(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  const int64_t in = z.size(8, 256), expansion = z.one_of({1, 2, 3, 4, 4, 6, 6, 6});
  const int64_t hidden = in * expansion, kernel = z.one_of({3, 3, 5}), stride = z.chance(30) ? 2 : 1;
  const int64_t out = stride == 1 && z.chance(60) ? in : z.size(8, 256);
  const Activation a = z.chance(50) ? Activation::kRelu6 : image_activation(z);
  const ValueId x = b.image(in, e.h, e.w);
  ValueId y = expansion == 1 ? x : b.activation(b.window(x, WindowShape::square(hidden, 1)), a);
  y = b.activation(b.window(y, WindowShape::square(hidden, kernel, stride, hidden)), a);
  if (z.chance(30)) y = excite(b, z, y, a);
  y = b.window(y, WindowShape::square(out, 1));
  b.consume(stride == 1 && out == in ? b.add(y, x) : y);
}

// Howard et al. 2017: each channel by itself, then 1×1.
void separable(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  const int64_t in = z.size(8, 768), stride = z.chance(30) ? 2 : 1, kernel = z.one_of({3, 3, 3, 5});
  const Activation a = image_activation(z);
  ValueId y = b.activation(b.window(b.image(in, e.h, e.w), WindowShape::square(in, kernel, stride, in)), a);
  b.consume(b.activation(b.window(y, WindowShape::square(z.size(8, 768), 1)), a));
}

// The first layer: three channels in the model's own order.
void stem(LayerBuilder& b, Sizes& z) {
  const int64_t h = z.multiple(z.one_of({4, 8, 16}), 32, 224), kernel = z.one_of({3, 3, 5, 7});
  const int64_t stride = z.one_of({1, 2, 2, 2, 4});
  const ValueId x = b.input({1, z.one_of({1, 3, 3, 3, 4}), h, h});
  b.consume(b.activation(b.window(x, WindowShape::square(z.size(8, 96), kernel, stride)), image_activation(z)));
}

// A patch at a time (Dosovitskiy et al. 2020).
void patches(LayerBuilder& b, Sizes& z) {
  const int64_t edge = z.one_of({4, 8, 14, 16}), count = z.size(4, 16);
  WindowShape w = WindowShape::square(z.size(32, 768), edge, edge);
  w.padded = false;
  b.consume(b.window(b.input({1, 3, edge * count, edge * count}), w));
}

// Simonyan and Zisserman 2014: 3×3 alone.
void plain_window(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  WindowShape w = WindowShape::square(z.size(16, 512), 3);
  w.padded = z.chance(85);
  b.consume(b.activation(b.window(b.image(z.size(16, 512), e.h, e.w), w), image_activation(z)));
}

// Iandola et al. 2016: 1×1 and 3×3 side by side in one buffer.
void fire(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  const int64_t narrow = z.size(8, 128);
  const ValueId s = b.activation(b.window(b.image(z.size(16, 512), e.h, e.w), WindowShape::square(narrow, 1)), Activation::kRelu);
  const ValueId one = b.activation(b.window(s, WindowShape::square(z.size(16, 256), 1)), Activation::kRelu);
  const ValueId three = b.activation(b.window(s, WindowShape::square(z.size(16, 256), 3)), Activation::kRelu);
  b.consume(b.op(OpKind::kConcat, {one, three}, {{"axis", int64_t{1}}}));
}

// Szegedy et al. 2015 and others: larger and one-sided windows, dilation, steps, groups.
void other_window(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  const int64_t group = z.chance(20) ? z.one_of({2, 4, 8}) : 1;
  WindowShape w = WindowShape::square(group * z.size(8, 256 / group), z.one_of({3, 5, 5, 7}), z.one_of({1, 1, 2}), group);
  switch (z.rng().below(6)) {
    case 0: w.kernel_h = 1; break;
    case 1: w.kernel_w = 1; break;
    case 2: w.dilation = 2; break;
    default: break;
  }
  const int64_t in = group * z.size(4, 256 / group);
  b.consume(b.activation(b.window(b.image(in, e.h, e.w), w), image_activation(z)));
}

void pooling(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  const int64_t kernel = z.one_of({2, 3, 3, 3, 5}), stride = z.one_of({1, 2, 2}),
                pad = kernel > 2 && z.chance(60) ? kernel / 2 : 0;
  const ValueId x = b.image(z.size(8, 1024), e.h, e.w);
  b.consume(b.op(z.chance(60) ? OpKind::kMaxPool : OpKind::kAveragePool, {x},
                 {{"kernel_shape", std::vector<int64_t>{kernel, kernel}},
                  {"strides", std::vector<int64_t>{stride, stride}},
                  {"pads", std::vector<int64_t>(4, pad)}}));
}

// The end of a network: the mean of each channel, then a product with one row.
void head(LayerBuilder& b, Sizes& z) {
  const int64_t h = z.one_of({4, 5, 6, 7, 7, 8, 10, 12, 14});
  const ValueId x = b.op(OpKind::kGlobalAveragePool, {b.image(z.size(64, 2048), h, h)});
  const int64_t channels = b.shape(x)[1], classes = z.size(10, 1500);
  b.output(b.op(OpKind::kGemm, {b.reshape(x, {1, channels}), b.constant({classes, channels}), b.constant({classes})},
                {{"transB", int64_t{1}}}));
}

// Zhang et al. 2018: channels change places between groups.
void shuffle(LayerBuilder& b, Sizes& z) {
  const Edges e = edges(z);
  const int64_t group = z.one_of({2, 3, 4, 8}), each = z.size(4, 128);
  const ValueId x = b.image(group * each, e.h, e.w);
  const ValueId y = b.transpose(b.reshape(x, {1, group, each, e.h, e.w}), {0, 2, 1, 3, 4});
  b.consume(b.reshape(y, {1, group * each, e.h, e.w}));
}

const Family kFamilies[] = {
    {"basic-block", 4, {Kind::kWindow, Kind::kWindowOther}, basic_block},
    {"bottleneck", 4, {Kind::kProduct, Kind::kWindow, Kind::kWindowOther}, bottleneck},
    {"inverted-residual", 5, {Kind::kProduct, Kind::kDepthwise, Kind::kMatrixVector, Kind::kRowWise}, inverted_residual},
    {"separable", 3, {Kind::kProduct, Kind::kDepthwise}, separable},
    {"stem", 2, {Kind::kWindowOther}, stem},
    {"patches", 1, {Kind::kWindowOther}, patches},
    {"plain-window", 3, {Kind::kWindow}, plain_window},
    {"fire", 3, {Kind::kProduct, Kind::kWindow}, fire},
    {"other-window", 4, {Kind::kWindowOther}, other_window},
    {"pooling", 4, {Kind::kPool}, pooling},
    {"head", 2, {Kind::kMatrixVector, Kind::kRowWise}, head},
    {"shuffle", 1, {Kind::kMap}, shuffle},
};

}  // namespace

std::span<const Family> image_families() { return kFamilies; }

}  // namespace tlm::collect
