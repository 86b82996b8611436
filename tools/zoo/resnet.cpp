// ResNet-50 v1.5 for 224×224 images and 1000 classes: bottleneck blocks whose 3×3 convolution has the stride.
// He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, 2015.
#include "tlm/tools/zoo/net_builder.h"
#include "tlm/tools/zoo/networks.h"

namespace tlm::tools {
namespace {

// 1×1 to `width` channels, 3×3, 1×1 to 4·width; the shortcut has a 1×1 convolution where the shape changes.
ir::ValueId bottleneck(NetBuilder& net, const std::string& name, ir::ValueId x, int64_t width, int64_t stride) {
  const int64_t channels = 4 * width;
  ir::ValueId y = net.conv(name + ".conv1", x, {width});
  y = net.relu(name + ".relu1", net.batch_norm(name + ".bn1", y));
  y = net.conv(name + ".conv2", y, {width, 3, stride, 1});
  y = net.relu(name + ".relu2", net.batch_norm(name + ".bn2", y));
  y = net.conv(name + ".conv3", y, {channels});
  y = net.batch_norm(name + ".bn3", y, 0.5);
  ir::ValueId shortcut = x;
  if (stride != 1 || net.shape(x)[1] != channels) {
    shortcut = net.conv(name + ".downsample.0", x, {channels, 1, stride});
    shortcut = net.batch_norm(name + ".downsample.1", shortcut);
  }
  return net.relu(name + ".relu3", net.add(name + ".add", y, shortcut));
}

}  // namespace

ir::Graph make_resnet50(int64_t batch, uint64_t seed) {
  NetBuilder net("resnet50", seed);
  ir::ValueId x = net.input("input", {batch, 3, 224, 224});
  x = net.conv("conv1", x, {64, 7, 2, 3});
  x = net.relu("relu", net.batch_norm("bn1", x));
  x = net.max_pool("maxpool", x, 3, 2, 1);
  const int64_t blocks[] = {3, 4, 6, 3};
  for (int64_t stage = 0; stage < 4; ++stage) {
    for (int64_t block = 0; block < blocks[stage]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      x = bottleneck(net, name, x, int64_t{64} << stage, stage > 0 && block == 0 ? 2 : 1);
    }
  }
  x = net.flatten("flatten", net.global_average_pool("avgpool", x));
  return net.finish({{"logits", net.linear("fc", x, 1000)}});
}

}  // namespace tlm::tools
