// SqueezeNet 1.1 for 224×224 images and 1000 classes: the authors' second release, with 2.4 times less arithmetic than the
// paper's. Iandola, Han, Moskewicz, Ashraf, Dally, Keutzer: SqueezeNet: AlexNet-level accuracy with 50x fewer parameters, 2016.
#include "tlm/tools/zoo/net_builder.h"
#include "tlm/tools/zoo/networks.h"

namespace tlm::tools {
namespace {

ir::ValueId conv_relu(NetBuilder& net, const std::string& name, ir::ValueId x, const ConvShape& shape) {
  return net.relu(name + ".relu", net.conv(name, x, shape, true));
}

// 1×1 to `squeeze` channels, then 1×1 and 3×3 to `expand` channels each, side by side.
ir::ValueId fire(NetBuilder& net, const std::string& name, ir::ValueId x, int64_t squeeze, int64_t expand) {
  x = conv_relu(net, name + ".squeeze", x, {squeeze});
  const ir::ValueId point = conv_relu(net, name + ".expand1x1", x, {expand});
  return net.concat(name + ".concat", {point, conv_relu(net, name + ".expand3x3", x, {expand, 3, 1, 1})}, 1);
}

}  // namespace

ir::Graph make_squeezenet(int64_t batch, uint64_t seed) {
  NetBuilder net("squeezenet", seed);
  ir::ValueId x = net.input("input", {batch, 3, 224, 224});
  x = net.max_pool("pool1", conv_relu(net, "conv1", x, {64, 3, 2, 0}), 3, 2, 0);  // 55×55
  x = fire(net, "fire2", x, 16, 64);
  x = fire(net, "fire3", x, 16, 64);
  x = net.max_pool("pool3", x, 3, 2, 0);  // 27×27
  x = fire(net, "fire4", x, 32, 128);
  x = fire(net, "fire5", x, 32, 128);
  x = net.max_pool("pool5", x, 3, 2, 0);  // 13×13
  x = fire(net, "fire6", x, 48, 192);
  x = fire(net, "fire7", x, 48, 192);
  x = fire(net, "fire8", x, 64, 256);
  x = fire(net, "fire9", x, 64, 256);
  x = conv_relu(net, "conv10", x, {1000});
  return net.finish({{"logits", net.flatten("flatten", net.global_average_pool("pool10", x))}});
}

}  // namespace tlm::tools
