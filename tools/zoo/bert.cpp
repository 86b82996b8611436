// One encoder layer of BERT-base on 128 tokens: width 768, 12 heads, inner width 3072, normalised after each sum.
// Devlin, Chang, Lee, Toutanova: BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding, 2018.
#include "tlm/tools/zoo/net_builder.h"
#include "tlm/tools/zoo/networks.h"

namespace tlm::tools {

using ir::OpKind;
using ir::ValueId;

// [batch,128,768] → [batch,128,768].
ir::Graph make_bert_layer(int64_t batch, uint64_t seed) {
  const int64_t tokens = 128, width = 768, heads = 12, inner = 3072;
  NetBuilder net("bert_layer", seed);
  const ValueId in = net.input("embeddings", {batch, tokens, width});
  const auto project = [&](const std::string& name, std::vector<int64_t> perm) {
    return net.split_heads(name, net.dense(name, in, width), heads, std::move(perm));
  };
  const ValueId q = project("query", {0, 2, 1, 3}), k = project("key", {0, 2, 3, 1}), v = project("value", {0, 2, 1, 3});
  ValueId x = net.op(OpKind::kMul, "scaled", {net.op(OpKind::kMatMul, "scores", {q, k}), net.normal("scale", {}, 0.125, 0)});
  x = net.op(OpKind::kSoftmax, "attention", {x}, {{"axis", int64_t{-1}}});
  x = net.merge_heads("context", net.op(OpKind::kMatMul, "context", {x, v}));
  const ValueId middle = net.layer_norm("attention.norm", net.add("attention.residual", in, net.dense("output", x, width)));
  x = net.dense("down", net.gelu("gelu", net.dense("up", middle, inner)), width);
  return net.finish({{"hidden", net.layer_norm("norm", net.add("residual", middle, x))}});
}

}  // namespace tlm::tools
