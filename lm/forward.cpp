#include "tlm/lm/forward.h"

#include <algorithm>
#include <string>

#include "tlm/core/error.h"
#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/lm/cached_attention.h"
#include "tlm/lm/parallel.h"

namespace tlm::lm {
namespace {

constexpr int64_t kTileRows = 6;    // of the products
constexpr int64_t kBlockRows = 48;  // rows that go through a layer together, at most

size_t floats(int64_t a, int64_t b) { return static_cast<size_t>(a) * static_cast<size_t>(b); }

int64_t parts(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

void check(std::span<const Chunk> chunks, const Config& config) {
  for (const Chunk& chunk : chunks) {
    TLM_CHECK(chunk.cache && !chunk.tokens.empty());
    const int64_t length = chunk.cache->length() + static_cast<int64_t>(chunk.tokens.size());
    if (length > config.context)
      throw Error(ErrorCode::kUsage, std::to_string(length) + " tokens in a context of " + std::to_string(config.context));
    for (const int32_t token : chunk.tokens)
      if (token < 0 || token >= config.vocabulary)
        throw Error(ErrorCode::kUsage,
                    "token " + std::to_string(token) + " in a vocabulary of " + std::to_string(config.vocabulary));
  }
}

}  // namespace

// One call of Model::forward. Layer by layer: blocks of rows from the residual to query, key and value; attention; blocks of rows
// from there to the next residual and on to the next layer's query, key and value.
class ForwardPass {
 public:
  ForwardPass(const Model& model, std::span<const Chunk> chunks, LogitsOf which, Executor& executor);
  std::vector<float> run();

 private:
  struct Worker {
    kernels::AlignedFloats normed, hidden, attention;
  };
  // body(first, count, worker) for blocks of `rows` rows, at least as many blocks as there are workers.
  template <typename Body>
  void for_blocks(int64_t rows, int64_t largest, const Body& body);
  void embed(int64_t first, int64_t count);
  void enter(int64_t layer, int64_t first, int64_t count, Worker& worker);
  void attend(int64_t layer);
  void keep_wanted();
  void leave(int64_t layer, int64_t first, int64_t count, Worker& worker);

  const Config& config_;
  Weights& w_;
  const PackedModel& packed_;
  const std::span<const Chunk> chunks_;
  Executor& executor_;
  const kernels::BlockKernels& k_;
  const int64_t C, D, F, V;
  std::vector<int32_t> tokens_;             // [N]
  std::vector<AttentionRow> rows_;          // [N]
  std::vector<int64_t> wanted_;             // rows whose logits are asked for; empty: all
  int64_t last_layer_rows_;                 // after the last attention
  kernels::AlignedFloats x_, qkv_, mixed_;  // [N, C], [N, 3C], [N, C]
  std::vector<float> logits_;
  std::vector<Worker> workers_;
};

ForwardPass::ForwardPass(const Model& model, std::span<const Chunk> chunks, LogitsOf which, Executor& executor)
    : config_(model.config()),
      w_(model.weights_),
      packed_(model.packed_),
      chunks_(chunks),
      executor_(executor),
      k_(*model.kernels_),
      C(config_.width),
      D(config_.head_width()),
      F(config_.inner),
      V(config_.vocabulary) {
  check(chunks, config_);
  for (const Chunk& chunk : chunks) {
    KvCache& cache = *chunk.cache;
    cache.grow(static_cast<int64_t>(chunk.tokens.size()));
    int64_t position = cache.length_;
    for (const int32_t token : chunk.tokens) {
      rows_.push_back({position++, cache.blocks_.data()});
      tokens_.push_back(token);
    }
    if (which == LogitsOf::kLastToken) wanted_.push_back(static_cast<int64_t>(rows_.size()) - 1);
  }
  const auto N = static_cast<int64_t>(rows_.size());
  last_layer_rows_ = wanted_.empty() ? N : static_cast<int64_t>(wanted_.size());
  x_.reserve(floats(N, C)), qkv_.reserve(floats(N, 3 * C)), mixed_.reserve(floats(N, C));
  logits_.resize(floats(last_layer_rows_, V));
  int64_t longest = 0;
  for (const AttentionRow& row : rows_) longest = std::max(longest, row.position);
  workers_.resize(static_cast<size_t>(executor.width()));
  for (Worker& worker : workers_) {
    worker.normed.reserve(floats(kBlockRows, C));
    worker.hidden.reserve(floats(kBlockRows, F));
    worker.attention.reserve(attention_scratch(config_, kBlockRows, longest));
  }
}

template <typename Body>
void ForwardPass::for_blocks(int64_t rows, int64_t largest, const Body& body) {
  // Whole register tiles, and work for everyone.
  const int64_t share = parts(parts(rows, executor_.width()), kTileRows) * kTileRows, size = std::min(largest, share);
  parallel_for(executor_, parts(rows, size), [&](int64_t i, int worker) {
    body(i * size, std::min(size, rows - i * size), workers_[static_cast<size_t>(worker)]);
  });
}

void ForwardPass::embed(int64_t first, int64_t count) {
  for (int64_t r = first; r < first + count; ++r) {
    std::copy_n(w_.tokens() + tokens_[static_cast<size_t>(r)] * C, C, x_.data() + r * C);
    k_.add(x_.data() + r * C, w_.positions() + rows_[static_cast<size_t>(r)].position * C, C);
  }
}

void ForwardPass::enter(int64_t layer, int64_t first, int64_t count, Worker& worker) {
  const LayerWeights w = w_.layer(layer);
  float* qkv = qkv_.data() + first * 3 * C;
  k_.layer_norm(worker.normed.data(), nullptr, nullptr, x_.data() + first * C, w.ln1_weight, w.ln1_bias, config_.epsilon, count,
                C);
  packed_.layers[static_cast<size_t>(layer)].attention.multiply(k_, qkv, 3 * C, w.attention_bias, 0, worker.normed.data(), C,
                                                                count);
  for (int64_t r = 0; r < count; ++r) {
    const AttentionRow& row = rows_[static_cast<size_t>(first + r)];
    KvBlock& block = *row.blocks[row.position / KvBlock::kPositions];
    const int64_t slot = row.position % KvBlock::kPositions;
    const float* key = qkv + r * 3 * C + C;
    float* keys = block.keys(layer) + slot;
    for (int64_t c = 0; c < C; ++c) keys[c * KvBlock::kPositions] = key[c];
    float* values = block.values(layer) + slot * D;
    for (int64_t c = 0; c < C; c += D) std::copy_n(key + C + c, D, values + c * KvBlock::kPositions);
  }
}

void ForwardPass::attend(int64_t layer) {
  for_blocks(static_cast<int64_t>(rows_.size()), kBlockRows / 2, [&](int64_t first, int64_t count, Worker& worker) {
    attend_cached(k_, config_, layer, std::span(rows_).subspan(static_cast<size_t>(first), static_cast<size_t>(count)),
                  qkv_.data() + first * 3 * C, 3 * C, mixed_.data() + first * C, C, worker.attention.data());
  });
}

// From here on only the rows whose logits are asked for, moved to the front.
void ForwardPass::keep_wanted() {
  for (size_t i = 0; i < wanted_.size(); ++i)
    for (kernels::AlignedFloats* rows : {&x_, &mixed_})
      if (wanted_[i] != static_cast<int64_t>(i))
        std::copy_n(rows->data() + wanted_[i] * C, C, rows->data() + floats(static_cast<int64_t>(i), C));
}

void ForwardPass::leave(int64_t layer, int64_t first, int64_t count, Worker& worker) {
  const LayerWeights w = w_.layer(layer);
  const PackedLayer& packed = packed_.layers[static_cast<size_t>(layer)];
  float *x = x_.data() + first * C, *added = mixed_.data() + first * C, *hidden = worker.hidden.data();
  packed.output.multiply(k_, worker.normed.data(), C, w.output_bias, 0, added, C, count);
  k_.add(x, worker.normed.data(), count * C);
  k_.layer_norm(worker.normed.data(), nullptr, nullptr, x, w.ln2_weight, w.ln2_bias, config_.epsilon, count, C);
  packed.fc.multiply(k_, hidden, F, w.fc_bias, 0, worker.normed.data(), C, count);
  k_.gelu(hidden, hidden, count * F);
  packed.mlp.multiply(k_, added, C, w.mlp_bias, 0, hidden, F, count);
  k_.add(x, added, count * C);
  if (layer + 1 < config_.layers) return enter(layer + 1, first, count, worker);
  k_.layer_norm(worker.normed.data(), nullptr, nullptr, x, w_.final_weight(), w_.final_bias(), config_.epsilon, count, C);
  packed_.head.multiply(k_, logits_.data() + first * V, V, nullptr, 0, worker.normed.data(), C, count);
}

std::vector<float> ForwardPass::run() {
  for_blocks(static_cast<int64_t>(rows_.size()), kBlockRows, [&](int64_t first, int64_t count, Worker& worker) {
    embed(first, count);
    enter(0, first, count, worker);
  });
  for (int64_t l = 0; l < config_.layers; ++l) {
    attend(l);
    const bool last = l + 1 == config_.layers;
    if (last) keep_wanted();
    for_blocks(last ? last_layer_rows_ : static_cast<int64_t>(rows_.size()), kBlockRows,
               [&](int64_t first, int64_t count, Worker& worker) { leave(l, first, count, worker); });
  }
  for (const Chunk& chunk : chunks_) chunk.cache->length_ += static_cast<int64_t>(chunk.tokens.size());
  return std::move(logits_);
}

Model::Model(Weights weights, const kernels::BlockKernels& kernels) : kernels_(&kernels), weights_(std::move(weights)) {
  packed_.pack(weights_, false, serial_executor());
}

std::vector<float> Model::forward(std::span<const Chunk> chunks, LogitsOf which, Executor& executor) const {
  if (chunks.empty()) return {};
  return ForwardPass(*this, chunks, which, executor).run();
}

int32_t greedy_token(std::span<const float> logits, float tie) {
  TLM_CHECK(!logits.empty());
  const float largest = *std::max_element(logits.begin(), logits.end());
  return static_cast<int32_t>(
      std::find_if(logits.begin(), logits.end(), [&](float v) { return v > largest - tie || v == largest; }) - logits.begin());
}

}  // namespace tlm::lm
