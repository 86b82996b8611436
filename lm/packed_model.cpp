#include "tlm/lm/packed_model.h"

#include "tlm/lm/parallel.h"

namespace tlm::lm {

void PackedModel::pack(Weights& weights, bool with_backward, Executor& executor) {
  const Config& config = weights.config();
  const int64_t C = config.width, F = config.inner, V = config.vocabulary;
  layers.resize(static_cast<size_t>(config.layers));
  constexpr int64_t kMatrices = 4;
  parallel_for(executor, config.layers * kMatrices + 1, [&](int64_t task, int) {
    if (task == config.layers * kMatrices) {
      head.pack_transposed(weights.tokens(), C, V);
      if (with_backward) head_back.pack(weights.tokens(), V, C);
      return;
    }
    const LayerWeights w = weights.layer(task / kMatrices);
    PackedLayer& layer = layers[static_cast<size_t>(task / kMatrices)];
    const auto both = [&](kernels::PackedMatrix& plain, kernels::PackedMatrix& back, const float* matrix, int64_t in,
                          int64_t out) {
      plain.pack(matrix, in, out);
      if (with_backward) back.pack_transposed(matrix, out, in);
    };
    switch (task % kMatrices) {
      case 0: both(layer.attention, layer.attention_back, w.attention_weight, C, 3 * C); break;
      case 1: both(layer.output, layer.output_back, w.output_weight, C, C); break;
      case 2: both(layer.fc, layer.fc_back, w.fc_weight, C, F); break;
      case 3: both(layer.mlp, layer.mlp_back, w.mlp_weight, F, C); break;
    }
  });
}

}  // namespace tlm::lm
