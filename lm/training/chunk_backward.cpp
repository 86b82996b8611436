#include <algorithm>

#include "tlm/lm/training/chunk_blocks.h"
#include "tlm/lm/training/chunk_pass.h"

namespace tlm::lm {

// From dout to dmiddle and dmixed; what the weight gradients need on the way is left in activated, dhidden and normed2.
void ChunkPass::leave_backward(int64_t layer, int64_t first, int64_t count, WorkerRows& worker) {
  LayerRows& a = b_.layers[static_cast<size_t>(layer)];
  const LayerWeights w = w_.layer(layer);
  const PackedLayer& packed = packed_.layers[static_cast<size_t>(layer)];
  const float* dout = b_.dout.data() + first * C;
  float *dhidden = b_.dhidden.data() + first * F, *dmiddle = b_.dmiddle[layer % 2].data() + first * C;
  packed.mlp_back.multiply(k_, dhidden, F, nullptr, 0, dout, C, count);
  k_.gelu_backward(b_.activated.data() + first * F, dhidden, dhidden, a.hidden.data() + first * F, count * F);
  packed.fc_back.multiply(k_, worker.d.data(), C, nullptr, 0, dhidden, F, count);
  float* partial = b_.partial2.data() + first / kBlockRows * 2 * C;
  std::fill_n(partial, 2 * C, 0.0f);
  k_.layer_norm_backward(dmiddle, b_.normed2.data() + first * C, partial, partial + C, dout, worker.d.data(),
                         a.middle.data() + first * C, w.ln2_weight, w.ln2_bias, a.mean2.data() + first, a.rstd2.data() + first,
                         count, C);
  if (layer < L - 1) {
    packed.output_back.multiply(k_, b_.dmixed.data() + first * C, C, nullptr, 0, dmiddle, C, count);
    return;
  }
  packed.output_back.multiply(k_, worker.d.data(), C, nullptr, 0, dmiddle, C, count);
  for (int64_t i = 0; i < count; ++i)
    std::copy_n(worker.d.data() + i * C, C, b_.dmixed.data() + chunk_.targets[static_cast<size_t>(first + i)].row * C);
}

// From dqkv and dmiddle to the dout of the layer below; leaves normed1.
void ChunkPass::enter_backward(int64_t layer, int64_t first, int64_t count, WorkerRows& worker) {
  LayerRows& a = b_.layers[static_cast<size_t>(layer)];
  const LayerWeights w = w_.layer(layer);
  packed_.layers[static_cast<size_t>(layer)].attention_back.multiply(k_, worker.d.data(), C, nullptr, 0,
                                                                     b_.dqkv[layer % 2].data() + first * 3 * C, 3 * C, count);
  const float* dresidual = b_.dmiddle[layer % 2].data() + first * C;
  if (layer == L - 1) {  // only rows with targets went on after attention
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = b_.target_at[static_cast<size_t>(first + i)];
      float* row = worker.residual.data() + i * C;
      if (at >= 0)
        std::copy_n(b_.dmiddle[layer % 2].data() + at * C, C, row);
      else
        std::fill_n(row, C, 0.0f);
    }
    dresidual = worker.residual.data();
  }
  float* partial = b_.partial1.data() + first / kBlockRows * 2 * C;
  std::fill_n(partial, 2 * C, 0.0f);
  k_.layer_norm_backward(b_.dout.data() + first * C, b_.normed1.data() + first * C, partial, partial + C, dresidual,
                         worker.d.data(), a.in.data() + first * C, w.ln1_weight, w.ln1_bias, a.mean1.data() + first,
                         a.rstd1.data() + first, count, C);
}

void ChunkPass::embed_backward(Weights& gradients) {
  for (int64_t r = 0; r < M; ++r) {
    const float* d = b_.dout.data() + r * C;
    k_.add(gradients.tokens() + chunk_.tokens[static_cast<size_t>(r)] * C, d, C);
    k_.add(gradients.positions() + chunk_.positions[static_cast<size_t>(r)] * C, d, C);
  }
}

namespace {

// The parts of LayerNorm's gradients that the blocks computed, in their order.
void add_partials(const kernels::BlockKernels& k, float* dweight, float* dbias, const float* partial, int64_t rows, int64_t C) {
  for (int64_t i = 0; i < blocks(rows); ++i) {
    k.add(dweight, partial + 2 * i * C, C);
    k.add(dbias, partial + (2 * i + 1) * C, C);
  }
}

}  // namespace

void ChunkPass::backward(Weights& gradients) {
  // Layer by layer from above: first the rows, enter_backward of the layer above and leave_backward of this one; then its
  // attention and all weight gradients whose operands are there now. Layer L is the head, layer -1 the embedding.
  std::fill_n(b_.dmixed.data(), M * C, 0.0f);  // rows without targets stay zero in the last layer
  for (int64_t l = L - 1; l >= -1; --l) {
    if (l < L - 1) {
      for_blocks(executor_, M, [&](int64_t first, int64_t count, int worker) {
        enter_backward(l + 1, first, count, b_.workers[static_cast<size_t>(worker)]);
        if (l >= 0) leave_backward(l, first, count, b_.workers[static_cast<size_t>(worker)]);
      });
    } else {
      for_blocks(executor_, T, [&](int64_t first, int64_t count, int worker) {
        leave_backward(l, first, count, b_.workers[static_cast<size_t>(worker)]);
      });
    }
    add_weight_gradients(l, gradients);
  }
}

void ChunkPass::add_weight_gradients(int64_t l, Weights& gradients) {
  std::vector<WeightGradient>& list = b_.weight_gradients;
  list.clear();
  if (l == L - 1) {
    list.push_back({gradients.tokens(), nullptr, b_.logits.data(), b_.final_normed.data(), T, V, C, V, C});
    add_partials(k_, gradients.final_weight(), gradients.final_bias(), b_.partial1.data(), T, C);
  } else {
    const LayerWeights g = gradients.layer(l + 1);
    list.push_back({g.attention_weight, g.attention_bias, b_.normed1.data(), b_.dqkv[(l + 1) % 2].data(), M, C, 3 * C, C, 3 * C});
    add_partials(k_, g.ln1_weight, g.ln1_bias, b_.partial1.data(), M, C);
  }
  if (l >= 0) {
    LayerRows& a = b_.layers[static_cast<size_t>(l)];
    const LayerWeights g = gradients.layer(l);
    const int64_t R = rows_after_attention(l);
    const float* mixed = l == L - 1 ? b_.mixed_targets.data() : a.mixed.data();
    list.push_back({g.mlp_weight, g.mlp_bias, b_.activated.data(), b_.dout.data(), R, F, C, F, C});
    list.push_back({g.fc_weight, g.fc_bias, b_.normed2.data(), b_.dhidden.data(), R, C, F, C, F});
    list.push_back({g.output_weight, g.output_bias, mixed, b_.dmiddle[l % 2].data(), R, C, C, C, C});
    add_partials(k_, g.ln2_weight, g.ln2_bias, b_.partial2.data(), R, C);
  }
  const int64_t heads = l >= 0 ? static_cast<int64_t>(chunk_.groups.size()) * H : 0;
  int64_t tiles = 0;
  for (const WeightGradient& w : list) tiles += w.tiles();
  parallel_for(executor_, heads + tiles + (l < 0), [&](int64_t task, int worker) {
    WorkerRows& own = b_.workers[static_cast<size_t>(worker)];
    if (task < heads) {
      attend_group_backward(w_.config(), chunk_.groups[static_cast<size_t>(task / H)], task % H,
                            attention_rows(b_.layers[static_cast<size_t>(l)]), b_.dmixed.data(), b_.dqkv[l % 2].data(),
                            own.attention);
      return;
    }
    task -= heads;
    for (const WeightGradient& w : list) {
      if (task < w.tiles()) return w.add_tile(task, own.gradient);
      task -= w.tiles();
    }
    embed_backward(gradients);
  });
}

}  // namespace tlm::lm
