// Networks of a few kilobytes that hold one of everything their families need: for tests and first experiments.
#include "tlm/tools/zoo/net_builder.h"
#include "tlm/tools/zoo/networks.h"

namespace tlm::tools {

using ir::OpKind;
using ir::ValueId;

// [batch,3,16,16] → probabilities [batch,10]: strided, depthwise and pointwise convolutions, a concatenation, a residual.
ir::Graph make_tiny_cnn(int64_t batch, uint64_t seed) {
  NetBuilder net("tiny_cnn", seed);
  ValueId x = net.input("image", {batch, 3, 16, 16});
  x = net.relu("stem.relu", net.batch_norm("stem.bn", net.conv("stem.conv", x, {8, 3, 2, 1})));
  const ValueId a = net.relu("left.relu", net.conv("left.conv", x, {8, 1}, true));
  const ValueId b = net.relu("right.relu", net.conv("right.conv", x, {8, 3, 1, 1}, true));
  x = net.op(OpKind::kConcat, "concat", {a, b}, {{"axis", int64_t{1}}});
  ValueId y = net.relu("depth.relu", net.batch_norm("depth.bn", net.conv("depth.conv", x, {16, 3, 1, 1, 16})));
  y = net.batch_norm("point.bn", net.conv("point.conv", y, {16}));
  x = net.max_pool("pool", net.add("residual", x, y), 3, 2, 1);
  x = net.linear("fc", net.flatten("flatten", net.global_average_pool("average", x)), 10);
  return net.finish({{"probabilities", net.op(OpKind::kSoftmax, "softmax", {x}, {{"axis", int64_t{1}}})}});
}

// [batch,16] → [batch,8].
ir::Graph make_tiny_mlp(int64_t batch, uint64_t seed) {
  NetBuilder net("tiny_mlp", seed);
  ValueId x = net.input("features", {batch, 16});
  x = net.relu("relu1", net.linear("fc1", x, 32));
  x = net.op(OpKind::kTanh, "tanh", {net.linear("fc2", x, 24)});
  return net.finish({{"scores", net.linear("fc3", x, 8)}});
}

// [batch,6,16] → [batch,6,16]: one block of a transformer with two heads.
ir::Graph make_tiny_attention(int64_t batch, uint64_t seed) {
  const int64_t tokens = 6, width = 16, heads = 2;
  NetBuilder net("tiny_attention", seed);
  const ValueId in = net.input("embeddings", {batch, tokens, width});
  const ValueId normed = net.layer_norm("norm1", in);
  const auto project = [&](const std::string& name, std::vector<int64_t> perm) {
    return net.split_heads(name, net.dense(name, normed, width), heads, std::move(perm));
  };
  const ValueId q = project("query", {0, 2, 1, 3}), k = project("key", {0, 2, 3, 1}), v = project("value", {0, 2, 1, 3});
  const ValueId scale = net.normal("scale", {}, 0.35355339, 0);
  ValueId x = net.op(OpKind::kMul, "scaled", {net.op(OpKind::kMatMul, "scores", {q, k}), scale});
  x = net.op(OpKind::kSoftmax, "attention", {x}, {{"axis", int64_t{-1}}});
  x = net.merge_heads("context", net.op(OpKind::kMatMul, "context", {x, v}));
  const ValueId middle = net.add("residual1", in, net.dense("output", x, width));
  x = net.gelu("gelu", net.dense("up", net.layer_norm("norm2", middle), 2 * width));
  return net.finish({{"hidden", net.add("residual2", middle, net.dense("down", x, width))}});
}

}  // namespace tlm::tools
