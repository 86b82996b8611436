#include "tlm/lm/training/backward.h"

#include "tlm/core/error.h"
#include "tlm/lm/packed_model.h"
#include "tlm/lm/training/batch_check.h"
#include "tlm/lm/training/batch_plan.h"
#include "tlm/lm/training/chunk_pass.h"

namespace tlm::lm {
namespace {

constexpr int64_t kChunkRows = 2048;

}  // namespace

struct GradientWorkspace::Memory {
  PackedModel packed;
  ChunkBuffers buffers;
};

GradientWorkspace::GradientWorkspace(const Config& config) : config_(config), memory_(std::make_unique<Memory>()) {}
GradientWorkspace::~GradientWorkspace() = default;

double loss_and_gradients(Weights& weights, const TrainingBatch& batch, Weights* gradients, Executor& executor,
                          GradientWorkspace& workspace) {
  TLM_CHECK(!gradients || gradients->config() == weights.config());
  TLM_CHECK(workspace.config_ == weights.config());
  const int64_t targets = check(batch, weights.config());
  const double share = 1.0 / static_cast<double>(targets);
  GradientWorkspace::Memory& memory = *workspace.memory_;
  memory.packed.pack(weights, gradients != nullptr, executor);
  double loss = 0;
  for (const BatchChunk& chunk : plan_batch(batch, kChunkRows)) {
    memory.buffers.reserve(weights.config(), chunk, executor.width(), gradients != nullptr);
    ChunkPass pass(weights, memory.packed, batch, chunk, share, memory.buffers, executor);
    loss += pass.forward(gradients != nullptr);
    if (gradients) pass.backward(*gradients);
  }
  return loss * share;
}

double loss_and_gradients(Weights& weights, const TrainingBatch& batch, Weights* gradients, Executor& executor) {
  GradientWorkspace workspace(weights.config());
  return loss_and_gradients(weights, batch, gradients, executor, workspace);
}

}  // namespace tlm::lm
