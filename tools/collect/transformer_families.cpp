// Layers of transformers: BERT (Devlin et al. 2018), GPT-2 (Radford et al. 2019), LLaMA (Touvron et al. 2023).
#include "tlm/tools/collect/families.h"

namespace tlm::collect {
namespace {

using ir::OpKind;
using ir::ValueId;
using Kind = space::WorkloadKind;

// A width that several heads share.
struct Heads {
  int64_t count, width;  // width: of each
  int64_t all() const { return count * width; }
};
Heads heads(Sizes& z) { return {z.one_of({1, 2, 3, 4, 6, 8, 12, 16}), z.one_of({16, 32, 40, 48, 64, 64, 64, 80, 96, 128})}; }

int64_t width(Sizes& z) { return z.size(32, 1536); }

// Activations × weights, then what usually follows: nothing, a bias, an activation, a sum with the residual stream.
void projection(LayerBuilder& b, Sizes& z) {
  const auto extent = [&] { return z.chance(25) ? z.size(1536, 4096) : width(z); };
  const int64_t tokens = z.tokens(), k = extent(), n = extent();
  const ValueId x = b.input({tokens, k});
  ValueId y = b.dense(x, n, z.chance(70));
  switch (z.rng().below(5)) {
    case 0: y = b.activation(y, Activation::kGelu); break;
    case 1: y = b.activation(y, Activation::kGeluTanh); break;
    case 2: y = b.activation(y, z.chance(50) ? Activation::kRelu : Activation::kSilu); break;
    case 3: y = b.add(y, b.input({tokens, n})); break;
    default: break;
  }
  b.output(y);
}

// One token: every product is with a vector.
void next_token(LayerBuilder& b, Sizes& z) {
  const int64_t k = z.size(64, 1536), n = z.size(64, 3072);
  const ValueId x = b.input({1, k});
  ValueId y = b.dense(x, n, z.chance(60));
  if (z.chance(30))
    y = b.activation(y, z.chance(50) ? Activation::kGelu : Activation::kSilu);
  else if (z.chance(30))
    y = b.add(y, b.input({1, n}));
  b.output(y);
}

// Shazeer 2020: one product gates another.
void gated(LayerBuilder& b, Sizes& z) {
  const int64_t n = z.size(64, 2048);
  const ValueId x = b.input({z.tokens(), width(z)});
  const ValueId gate = b.activation(b.dense(x, n, false), z.chance(70) ? Activation::kSilu : Activation::kGelu);
  b.output(b.multiply(gate, b.dense(x, n, false)));
}

// Vaswani et al. 2017: heads are slices of a token's row.
void attention(LayerBuilder& b, Sizes& z) {
  const Heads h = heads(z);
  const int64_t tokens = z.tokens();
  const auto part = [&](bool keys) { return b.split_heads(b.dense(b.input({tokens, 8}), h.all()), h.count, keys); };
  const ValueId q = part(false), k = part(true), v = part(false);
  ValueId scores = b.multiply(b.op(OpKind::kMatMul, {q, k}), b.constant({}, 0.125));
  if (z.chance(40)) scores = b.add(scores, b.input({1, tokens, tokens}));
  const ValueId shares = b.op(OpKind::kSoftmax, {scores}, {{"axis", int64_t{-1}}});
  b.output(b.dense(b.merge_heads(b.op(OpKind::kMatMul, {shares, v})), 8));
}

// One query against keys and values of the tokens before.
void cached_attention(LayerBuilder& b, Sizes& z) {
  const Heads h = heads(z);
  const int64_t tokens = z.size(16, 1024);
  const ValueId q = b.input({h.count, 1, h.width});
  const ValueId keys =
      z.chance(50) ? b.input({h.count, h.width, tokens}) : b.transpose(b.input({h.count, tokens, h.width}), {0, 2, 1});
  const ValueId scores = b.multiply(b.op(OpKind::kMatMul, {q, keys}), b.constant({}, 0.125));
  const ValueId shares = b.op(OpKind::kSoftmax, {scores}, {{"axis", int64_t{-1}}});
  b.output(b.op(OpKind::kMatMul, {shares, b.input({h.count, tokens, h.width})}));
}

ValueId layer_norm(LayerBuilder& b, ValueId x) {
  const int64_t n = b.shape(x).back();
  return b.op(OpKind::kLayerNormalization, {x, b.constant({n}), b.constant({n})}, {{"axis", int64_t{-1}}});
}

// Zhang and Sennrich 2019, as exporters spell it.
ValueId root_mean_square_norm(LayerBuilder& b, ValueId x) {
  const ValueId mean =
      b.op(OpKind::kReduceMean, {b.multiply(x, x)}, {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{1}}});
  const ValueId root = b.op(OpKind::kSqrt, {b.add(mean, b.constant({}, 1e-5))});
  return b.multiply(b.op(OpKind::kDiv, {x, root}), b.constant({b.shape(x).back()}));
}

void normalisation(LayerBuilder& b, Sizes& z) {
  const int64_t tokens = z.tokens(), n = z.size(32, 2048);
  ValueId x = b.input({tokens, n});
  if (z.chance(30)) x = b.add(x, b.input({tokens, n}));
  b.output(z.chance(50) ? layer_norm(b, x) : root_mean_square_norm(b, x));
}

void shares_of_rows(LayerBuilder& b, Sizes& z) {
  const ValueId x = b.input({z.size(1, 768), z.size(8, 2048)});
  b.output(b.op(z.chance(85) ? OpKind::kSoftmax : OpKind::kLogSoftmax, {x}, {{"axis", int64_t{-1}}}));
}

// Su et al. 2021: halves of each head turned by an angle for each position.
void rotary(LayerBuilder& b, Sizes& z) {
  const Heads h = heads(z);
  const int64_t tokens = z.tokens(), half = h.width / 2;
  const ValueId x = b.input({h.count, tokens, 2 * half});
  const auto part = [&](int64_t from) {
    return b.op(OpKind::kSlice, {x},
                {{"starts", std::vector<int64_t>{0, 0, from}},
                 {"steps", std::vector<int64_t>{1, 1, 1}},
                 {"extents", std::vector<int64_t>{h.count, tokens, half}}});
  };
  const ValueId turned = b.op(OpKind::kConcat, {b.op(OpKind::kNeg, {part(half)}), part(0)}, {{"axis", int64_t{2}}});
  b.output(b.add(b.multiply(x, b.input({tokens, 2 * half})), b.multiply(turned, b.input({tokens, 2 * half}))));
}

const Family kFamilies[] = {
    {"projection", 5, {Kind::kProduct}, projection},
    {"next-token", 4, {Kind::kMatrixVector}, next_token},
    {"gated", 2, {Kind::kProduct}, gated},
    {"attention", 5, {Kind::kBatchedProduct, Kind::kRowWise}, attention},
    {"cached-attention", 1, {Kind::kMatrixVector}, cached_attention},
    {"normalisation", 3, {Kind::kRowWise}, normalisation},
    {"shares-of-rows", 2, {Kind::kRowWise}, shares_of_rows},
    {"rotary", 1, {Kind::kMap}, rotary},
};

}  // namespace

std::span<const Family> transformer_families() { return kFamilies; }

}  // namespace tlm::collect
