// Forward and backward through the rows of one chunk of a batch. A phase is a parallel loop over blocks of rows, or over heads,
// or over tiles of weight gradients; every sum has one owner and a fixed order, so the bits do not depend on the executor.
#pragma once

#include <vector>

#include "tlm/core/executor.h"
#include "tlm/kernels/cpu/aligned_floats.h"
#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/lm/packed_model.h"
#include "tlm/lm/training/batch_plan.h"
#include "tlm/lm/training/packed_attention.h"
#include "tlm/lm/training/weight_gradient.h"

namespace tlm::lm {

// What the backward pass of a layer reads. M rows of the chunk, T of them with targets: after its attention the last layer goes
// on with those alone, and where it says R there are T rows in the last layer and M in the others.
struct LayerRows {
  kernels::AlignedFloats in;            // [M, C] the residual before the layer
  kernels::AlignedFloats mean1, rstd1;  // [M]
  kernels::AlignedFloats qkv;           // [M, 3C]
  kernels::AlignedFloats softmax;       // [heads, M, 2]
  kernels::AlignedFloats mixed;         // [M, C] the heads' results side by side
  kernels::AlignedFloats middle;        // [R, C] the residual after attention
  kernels::AlignedFloats mean2, rstd2;  // [R]
  kernels::AlignedFloats hidden;        // [R, F] before GELU
};

struct WorkerRows {                                       // of one block
  kernels::AlignedFloats normed, d, residual, activated;  // [C], [C], [C], [F] columns
  kernels::AlignedFloats mean, rstd;
  AttentionScratch attention;
  WeightGradientScratch gradient;
  explicit WorkerRows(const Config& config);
};

struct ChunkBuffers {
  std::vector<LayerRows> layers;
  kernels::AlignedFloats mixed_targets;                         // [T, C] rows of the last layer's `mixed`
  kernels::AlignedFloats top, final_normed, logits;             // [T, C], [T, C], [T, V]; logits turn into their gradient
  kernels::AlignedFloats dout;                                  // [R, C] by the layer's result
  kernels::AlignedFloats dmiddle[2];                            // [R, C] by `middle`, of this layer and of the one above
  kernels::AlignedFloats dmixed;                                // [M, C]
  kernels::AlignedFloats dqkv[2];                               // [M, 3C]
  kernels::AlignedFloats normed1, normed2, activated, dhidden;  // [M, C], [R, C], [R, F], [R, F]
  kernels::AlignedFloats partial1, partial2;                    // [blocks, 2C] gradients of LayerNorm's weight and bias
  std::vector<double> losses;                                   // [T]
  std::vector<int64_t> target_at;                               // [M]: index among the targets, or -1
  std::vector<WeightGradient> weight_gradients;                 // those of one layer
  std::vector<WorkerRows> workers;

  void reserve(const Config& config, const BatchChunk& chunk, int workers, bool with_backward);
};

class ChunkPass {
 public:
  // `share`: of one target in the mean.
  ChunkPass(Weights& weights, const PackedModel& packed, const TrainingBatch& batch, const BatchChunk& chunk, double share,
            ChunkBuffers& buffers, Executor& executor);

  double forward(bool with_backward);  // the sum of the losses
  void backward(Weights& gradients);   // adds

 private:
  int64_t rows_after_attention(int64_t layer) const { return layer == L - 1 ? T : M; }
  AttentionRows attention_rows(LayerRows& a) const;

  void embed(int64_t first, int64_t count);
  void enter(int64_t layer, int64_t first, int64_t count, WorkerRows& worker);  // LayerNorm, query, key, value
  void leave(int64_t layer, int64_t first, int64_t count, WorkerRows& worker);  // what follows attention
  void head(int64_t first, int64_t count, bool with_backward, WorkerRows& worker);
  double loss(const TargetRow& target, float* logits) const;  // turns the logits into their gradient

  void leave_backward(int64_t layer, int64_t first, int64_t count, WorkerRows& worker);
  void enter_backward(int64_t layer, int64_t first, int64_t count, WorkerRows& worker);
  void add_weight_gradients(int64_t layer, Weights& gradients);
  void embed_backward(Weights& gradients);

  Weights& w_;
  const PackedModel& packed_;
  const TrainingBatch& batch_;
  const BatchChunk& chunk_;
  const double share_;
  ChunkBuffers& b_;
  Executor& executor_;
  const kernels::BlockKernels& k_ = kernels::block_kernels();
  const int64_t C, F, V, H, L, M, T;
};

}  // namespace tlm::lm
