// MobileNetV2, width 1.0, for 224×224 images and 1000 classes: inverted residuals with linear bottlenecks.
// Sandler, Howard, Zhu, Zhmoginov, Chen: MobileNetV2: Inverted Residuals and Linear Bottlenecks, 2018.
#include "tlm/tools/zoo/net_builder.h"
#include "tlm/tools/zoo/networks.h"

namespace tlm::tools {
namespace {

// The deviation in front of every ReLU6: twice the usual one, so that the upper bound cuts something off as well.
constexpr double kGain = 2;

ir::ValueId conv_bn_relu6(NetBuilder& net, const std::string& name, ir::ValueId x, const ConvShape& shape) {
  return net.relu6(name + ".relu6", net.batch_norm(name + ".bn", net.conv(name + ".conv", x, shape), kGain));
}

// 1×1 to `expansion` times the channels (none for 1), 3×3 depthwise, 1×1 down to `channels` without activation; added to x where
// the shape stays.
ir::ValueId inverted_residual(NetBuilder& net, const std::string& name, ir::ValueId x, int64_t expansion, int64_t channels,
                              int64_t stride) {
  const int64_t in = net.shape(x)[1], hidden = expansion * in;
  ir::ValueId y = x;
  if (expansion != 1) y = conv_bn_relu6(net, name + ".expand", y, {hidden});
  y = conv_bn_relu6(net, name + ".depthwise", y, {hidden, 3, stride, 1, hidden});
  const bool residual = stride == 1 && in == channels;
  y = net.batch_norm(name + ".project.bn", net.conv(name + ".project.conv", y, {channels}), residual ? 0.5 : 1);
  return residual ? net.add(name + ".add", x, y) : y;
}

}  // namespace

ir::Graph make_mobilenet_v2(int64_t batch, uint64_t seed) {
  NetBuilder net("mobilenet_v2", seed);
  ir::ValueId x = net.input("input", {batch, 3, 224, 224});
  x = conv_bn_relu6(net, "stem", x, {32, 3, 2, 1});
  struct Group {
    int64_t expansion, channels, blocks, stride;  // the paper's t, c, n, s
  };
  const Group groups[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                          {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  int block = 0;
  for (const Group& g : groups)
    for (int64_t i = 0; i < g.blocks; ++i)
      x = inverted_residual(net, "block" + std::to_string(++block), x, g.expansion, g.channels, i == 0 ? g.stride : 1);
  x = conv_bn_relu6(net, "head", x, {1280});
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish({{"logits", net.linear("classifier", x, 1000)}});
}

}  // namespace tlm::tools
