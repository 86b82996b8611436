#include <algorithm>
#include <cmath>

#include "tlm/lm/training/chunk_blocks.h"
#include "tlm/lm/training/chunk_pass.h"

namespace tlm::lm {

WorkerRows::WorkerRows(const Config& config) : attention(config) {
  for (kernels::AlignedFloats* rows : {&normed, &d, &residual}) rows->reserve(floats(kBlockRows, config.width));
  activated.reserve(floats(kBlockRows, config.inner));
  mean.reserve(kBlockRows);
  rstd.reserve(kBlockRows);
}

void ChunkBuffers::reserve(const Config& config, const BatchChunk& chunk, int width, bool with_backward) {
  const int64_t M = chunk.rows(), T = static_cast<int64_t>(chunk.targets.size()), C = config.width, F = config.inner;
  layers.resize(static_cast<size_t>(config.layers));
  for (LayerRows& a : layers) {
    for (kernels::AlignedFloats* each : {&a.mean1, &a.rstd1, &a.mean2, &a.rstd2}) each->reserve(floats(M));
    for (kernels::AlignedFloats* each : {&a.in, &a.mixed, &a.middle}) each->reserve(floats(M, C));
    a.qkv.reserve(floats(M, 3 * C));
    a.softmax.reserve(floats(M, 2 * config.heads));
    a.hidden.reserve(floats(M, F));
  }
  for (kernels::AlignedFloats* each : {&mixed_targets, &top, &final_normed}) each->reserve(floats(T, C));
  logits.reserve(floats(T, config.vocabulary));
  losses.resize(static_cast<size_t>(T));
  target_at.assign(static_cast<size_t>(M), -1);
  for (int64_t i = 0; i < T; ++i) target_at[static_cast<size_t>(chunk.targets[static_cast<size_t>(i)].row)] = i;
  while (static_cast<int>(workers.size()) < width) workers.emplace_back(config);
  if (!with_backward) return;
  for (kernels::AlignedFloats* each : {&dout, &dmiddle[0], &dmiddle[1], &dmixed, &normed1, &normed2}) each->reserve(floats(M, C));
  for (kernels::AlignedFloats* each : {&dqkv[0], &dqkv[1]}) each->reserve(floats(M, 3 * C));
  for (kernels::AlignedFloats* each : {&activated, &dhidden}) each->reserve(floats(M, F));
  for (kernels::AlignedFloats* each : {&partial1, &partial2}) each->reserve(floats(blocks(M), 2 * C));
}

ChunkPass::ChunkPass(Weights& weights, const PackedModel& packed, const TrainingBatch& batch, const BatchChunk& chunk,
                     double share, ChunkBuffers& buffers, Executor& executor)
    : w_(weights),
      packed_(packed),
      batch_(batch),
      chunk_(chunk),
      share_(share),
      b_(buffers),
      executor_(executor),
      C(w_.config().width),
      F(w_.config().inner),
      V(w_.config().vocabulary),
      H(w_.config().heads),
      L(w_.config().layers),
      M(chunk.rows()),
      T(static_cast<int64_t>(chunk.targets.size())) {}

AttentionRows ChunkPass::attention_rows(LayerRows& a) const { return {a.qkv.data(), a.mixed.data(), a.softmax.data(), M}; }

void ChunkPass::embed(int64_t first, int64_t count) {
  for (int64_t r = first; r < first + count; ++r) {
    float* x = b_.layers[0].in.data() + r * C;
    std::copy_n(w_.tokens() + chunk_.tokens[static_cast<size_t>(r)] * C, C, x);
    k_.add(x, w_.positions() + chunk_.positions[static_cast<size_t>(r)] * C, C);
  }
}

void ChunkPass::enter(int64_t layer, int64_t first, int64_t count, WorkerRows& worker) {
  LayerRows& a = b_.layers[static_cast<size_t>(layer)];
  const LayerWeights w = w_.layer(layer);
  k_.layer_norm(worker.normed.data(), a.mean1.data() + first, a.rstd1.data() + first, a.in.data() + first * C, w.ln1_weight,
                w.ln1_bias, w_.config().epsilon, count, C);
  packed_.layers[static_cast<size_t>(layer)].attention.multiply(k_, a.qkv.data() + first * 3 * C, 3 * C, w.attention_bias, 0,
                                                                worker.normed.data(), C, count);
}

void ChunkPass::leave(int64_t layer, int64_t first, int64_t count, WorkerRows& worker) {
  LayerRows& a = b_.layers[static_cast<size_t>(layer)];
  const LayerWeights w = w_.layer(layer);
  const PackedLayer& packed = packed_.layers[static_cast<size_t>(layer)];
  const bool last = layer == L - 1;
  const float *in = a.in.data() + first * C, *mixed = a.mixed.data() + first * C;
  if (last) {  // the rows with targets alone
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = chunk_.targets[static_cast<size_t>(first + i)].row;
      std::copy_n(a.in.data() + row * C, C, worker.residual.data() + i * C);
      std::copy_n(a.mixed.data() + row * C, C, b_.mixed_targets.data() + (first + i) * C);
    }
    in = worker.residual.data();
    mixed = b_.mixed_targets.data() + first * C;
  }
  float *middle = a.middle.data() + first * C, *hidden = a.hidden.data() + first * F;
  float* out = (last ? b_.top : b_.layers[static_cast<size_t>(layer) + 1].in).data() + first * C;
  packed.output.multiply(k_, middle, C, w.output_bias, 0, mixed, C, count);
  k_.add(middle, in, count * C);
  k_.layer_norm(worker.normed.data(), a.mean2.data() + first, a.rstd2.data() + first, middle, w.ln2_weight, w.ln2_bias,
                w_.config().epsilon, count, C);
  packed.fc.multiply(k_, hidden, F, w.fc_bias, 0, worker.normed.data(), C, count);
  k_.gelu(worker.activated.data(), hidden, count * F);
  packed.mlp.multiply(k_, out, C, w.mlp_bias, 0, worker.activated.data(), F, count);
  k_.add(out, middle, count * C);
  if (!last) enter(layer + 1, first, count, worker);
}

double ChunkPass::loss(const TargetRow& target, float* logits) const {
  const std::vector<int32_t>* legal =
      target.legal == TrainingBatch::kAllLegal ? nullptr : &batch_.legal_sets[static_cast<size_t>(target.legal)];
  const int64_t count = legal ? static_cast<int64_t>(legal->size()) : V;
  const auto token = [&](int64_t i) { return legal ? static_cast<int64_t>((*legal)[static_cast<size_t>(i)]) : i; };
  float largest = -INFINITY;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, logits[token(i)]);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(logits[token(i)]) - largest);
  const double loss = std::log(sum) + largest - logits[target.target], factor = share_ / sum;
  // Legal tokens ascend: what lies between them is not legal and has no gradient.
  int64_t next = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = token(i);
    std::fill(logits + next, logits + at, 0.0f);
    logits[at] =
        static_cast<float>(std::exp(static_cast<double>(logits[at]) - largest) * factor - (at == target.target ? share_ : 0));
    next = at + 1;
  }
  std::fill(logits + next, logits + V, 0.0f);
  return loss;
}

void ChunkPass::head(int64_t first, int64_t count, bool with_backward, WorkerRows& worker) {
  const float* top = b_.top.data() + first * C;
  float* logits = b_.logits.data() + first * V;
  k_.layer_norm(worker.normed.data(), worker.mean.data(), worker.rstd.data(), top, w_.final_weight(), w_.final_bias(),
                w_.config().epsilon, count, C);
  packed_.head.multiply(k_, logits, V, nullptr, 0, worker.normed.data(), C, count);
  for (int64_t i = 0; i < count; ++i)
    b_.losses[static_cast<size_t>(first + i)] = loss(chunk_.targets[static_cast<size_t>(first + i)], logits + i * V);
  if (!with_backward) return;
  packed_.head_back.multiply(k_, worker.d.data(), C, nullptr, 0, logits, V, count);
  float *dout = b_.dout.data() + first * C, *partial = b_.partial1.data() + first / kBlockRows * 2 * C;
  std::fill_n(partial, 2 * C, 0.0f);
  std::fill_n(dout, count * C, 0.0f);
  k_.layer_norm_backward(dout, b_.final_normed.data() + first * C, partial, partial + C, dout, worker.d.data(), top,
                         w_.final_weight(), w_.final_bias(), worker.mean.data(), worker.rstd.data(), count, C);
}

double ChunkPass::forward(bool with_backward) {
  for_blocks(executor_, M, [&](int64_t first, int64_t count, int worker) {
    embed(first, count);
    enter(0, first, count, b_.workers[static_cast<size_t>(worker)]);
  });
  for (int64_t l = 0; l < L; ++l) {
    const AttentionRows rows = attention_rows(b_.layers[static_cast<size_t>(l)]);
    parallel_for(executor_, static_cast<int64_t>(chunk_.groups.size()) * H, [&](int64_t task, int worker) {
      attend_group(w_.config(), chunk_.groups[static_cast<size_t>(task / H)], task % H, rows,
                   b_.workers[static_cast<size_t>(worker)].attention);
    });
    for_blocks(executor_, rows_after_attention(l), [&](int64_t first, int64_t count, int worker) {
      leave(l, first, count, b_.workers[static_cast<size_t>(worker)]);
      if (l == L - 1) head(first, count, with_backward, b_.workers[static_cast<size_t>(worker)]);
    });
  }
  double sum = 0;
  for (const double loss : b_.losses) sum += loss;
  return sum;
}

}  // namespace tlm::lm
