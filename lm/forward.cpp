#include "tlm/lm/forward.h"

#include <algorithm>
#include <string>

#include "tlm/core/error.h"
#include "tlm/kernels/cpu/transformer_kernels.h"
#include "tlm/lm/parallel.h"

namespace tlm::lm {
namespace {

constexpr int64_t kTaskRows = 16;  // rows of one task of the functions that work row by row

size_t floats(int64_t a, int64_t b) { return static_cast<size_t>(a) * static_cast<size_t>(b); }

// One token: where it stands and whose it is.
struct Row {
  int32_t token;
  int64_t position;
  KvCache* cache;
};

template <typename Body>
void for_rows(Executor& executor, int64_t rows, Body&& body) {  // body(first, count)
  parallel_for(executor, (rows + kTaskRows - 1) / kTaskRows,
               [&](int64_t i, int) { body(i * kTaskRows, std::min(kTaskRows, rows - i * kTaskRows)); });
}

std::vector<Row> rows_of(std::span<const Chunk> chunks, const Config& config) {
  std::vector<Row> rows;
  for (const Chunk& chunk : chunks) {
    TLM_CHECK(chunk.cache && !chunk.tokens.empty());
    int64_t position = chunk.cache->length();
    if (position + static_cast<int64_t>(chunk.tokens.size()) > config.context)
      throw Error(ErrorCode::kUsage, std::to_string(position + static_cast<int64_t>(chunk.tokens.size())) +
                                         " tokens in a context of " + std::to_string(config.context));
    for (const int32_t token : chunk.tokens) {
      if (token < 0 || token >= config.vocabulary)
        throw Error(ErrorCode::kUsage,
                    "token " + std::to_string(token) + " in a vocabulary of " + std::to_string(config.vocabulary));
      rows.push_back({token, position++, chunk.cache});
    }
  }
  return rows;
}

}  // namespace

KvCache::KvCache(const Config& config) : keys_(static_cast<size_t>(config.layers)), values_(static_cast<size_t>(config.layers)) {}

KvCache::KvCache(std::shared_ptr<const KvCache> prefix)
    : prefix_(std::move(prefix)), keys_(prefix_->keys_.size()), values_(prefix_->keys_.size()) {
  TLM_CHECK(!prefix_->prefix_) << "a branch of a branch";
}

Model::Model(Weights weights) : weights_(std::move(weights)) {
  const int64_t C = config().width, V = config().vocabulary;
  head_.resize(floats(C, V));
  for (int64_t v = 0; v < V; ++v)
    for (int64_t c = 0; c < C; ++c) head_[floats(c, V) + static_cast<size_t>(v)] = weights_.tokens()[v * C + c];
}

std::vector<float> Model::forward(std::span<const Chunk> chunks, LogitsOf which, Executor& executor) const {
  const Config& config = this->config();
  const int64_t C = config.width, F = config.inner, V = config.vocabulary, H = config.heads, D = config.head_width();
  const std::vector<Row> rows = rows_of(chunks, config);
  const int64_t N = static_cast<int64_t>(rows.size());

  std::vector<float> x(floats(N, C)), normed(floats(N, C)), mixed(floats(N, C)), added(floats(N, C));  // [N, C]
  std::vector<float> qkv(floats(N, 3 * C)), hidden(floats(N, F));
  std::vector<float> scores(floats(executor.width(), config.context));
  for (int64_t r = 0; r < N; ++r) {
    const Row& row = rows[static_cast<size_t>(r)];
    const float *token = weights_.tokens() + row.token * C, *position = weights_.positions() + row.position * C;
    for (int64_t c = 0; c < C; ++c) x[floats(r, C) + static_cast<size_t>(c)] = token[c] + position[c];
  }
  const auto norm = [&](const float* weight, const float* bias) {  // normed = LayerNorm(x)
    for_rows(executor, N, [&](int64_t first, int64_t count) {
      kernels::layer_norm(&normed[floats(first, C)], nullptr, nullptr, &x[floats(first, C)], weight, bias, config.epsilon, count,
                          C);
    });
  };
  const auto add = [&] {
    for (size_t i = 0; i < x.size(); ++i) x[i] += added[i];
  };
  for (int64_t l = 0; l < config.layers; ++l) {
    const LayerWeights w = weights_.layer(l);
    const auto layer = static_cast<size_t>(l);
    norm(w.ln1_weight, w.ln1_bias);
    kernels::linear(qkv.data(), normed.data(), w.attention_weight, w.attention_bias, N, C, 3 * C, executor);
    for (int64_t r = 0; r < N; ++r) {  // keys and values of all rows are there before any query looks
      KvCache& cache = *rows[static_cast<size_t>(r)].cache;
      const float* key = &qkv[floats(r, 3 * C) + static_cast<size_t>(C)];
      cache.keys_[layer].insert(cache.keys_[layer].end(), key, key + C);
      cache.values_[layer].insert(cache.values_[layer].end(), key + C, key + 2 * C);
    }
    parallel_for(executor, N, [&](int64_t r, int worker) {
      const Row& row = rows[static_cast<size_t>(r)];
      const KvCache *own = row.cache, *prefix = own->prefix_.get();
      const int64_t shared = prefix ? prefix->length_ : 0;
      for (int64_t h = 0; h < H; ++h) {
        const auto head = static_cast<size_t>(h * D);
        const auto part = [&](const KvCache* cache, int64_t count) {
          return kernels::KeyValues{&cache->keys_[layer][head], &cache->values_[layer][head], count};
        };
        kernels::attend(&mixed[floats(r, C) + head], &scores[floats(worker, config.context)], &qkv[floats(r, 3 * C) + head],
                        shared ? part(prefix, shared) : kernels::KeyValues(), part(own, row.position + 1 - shared), C, D);
      }
    });
    kernels::linear(added.data(), mixed.data(), w.output_weight, w.output_bias, N, C, C, executor);
    add();
    norm(w.ln2_weight, w.ln2_bias);
    kernels::linear(hidden.data(), normed.data(), w.fc_weight, w.fc_bias, N, C, F, executor);
    for_rows(executor, N, [&](int64_t first, int64_t count) {
      kernels::gelu(&hidden[floats(first, F)], &hidden[floats(first, F)], count * F);
    });
    kernels::linear(added.data(), hidden.data(), w.mlp_weight, w.mlp_bias, N, F, C, executor);
    add();
  }
  norm(weights_.final_weight(), weights_.final_bias());
  for (const Chunk& chunk : chunks) chunk.cache->length_ += static_cast<int64_t>(chunk.tokens.size());

  int64_t wanted = N;
  if (which == LogitsOf::kLastToken) {  // gather the last row of each chunk
    wanted = static_cast<int64_t>(chunks.size());
    size_t last = 0;
    for (size_t i = 0; i < chunks.size(); ++i) {
      last += chunks[i].tokens.size();
      std::copy_n(&normed[floats(static_cast<int64_t>(last) - 1, C)], C, &mixed[floats(static_cast<int64_t>(i), C)]);
    }
    normed.swap(mixed);
  }
  std::vector<float> logits(floats(wanted, V));
  kernels::linear(logits.data(), normed.data(), head_.data(), nullptr, wanted, C, V, executor);
  return logits;
}

int32_t greedy_token(std::span<const float> logits, float tie) {
  TLM_CHECK(!logits.empty());
  const float largest = *std::max_element(logits.begin(), logits.end());
  return static_cast<int32_t>(
      std::find_if(logits.begin(), logits.end(), [&](float v) { return v > largest - tie || v == largest; }) - logits.begin());
}

}  // namespace tlm::lm
