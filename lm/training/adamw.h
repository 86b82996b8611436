// Adam with decoupled weight decay (Loshchilov and Hutter, 2019).
#pragma once

#include <cstdint>
#include <filesystem>

#include "tlm/core/executor.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

struct AdamWOptions {
  float beta1 = 0.9f, beta2 = 0.95f, epsilon = 1e-8f;
  float weight_decay = 0.1f;  // of matrices; biases and LayerNorm weights do not decay
};

class AdamW {
 public:
  explicit AdamW(const Config& config, AdamWOptions options = {});

  // m = β₁m + (1-β₁)g, v = β₂v + (1-β₂)g²; w -= rate · (m̂ / (√v̂ + ε) + decay · w), m̂ = m / (1-β₁ᵗ), v̂ = v / (1-β₂ᵗ).
  // The same bits on any executor.
  void step(Weights& weights, const Weights& gradients, float rate, Executor& executor = serial_executor());
  int64_t steps() const { return steps_; }

  // The moments and the number of steps, in one safetensors file: training goes on from it with the same bits.
  void save(const std::filesystem::path& path) const;
  void load(const std::filesystem::path& path);  // throws Error(kBadModel) for the state of another model

 private:
  AdamWOptions options_;
  Weights first_, second_;
  int64_t steps_ = 0;
};

// Scales the gradient so that its Euclidean norm is at most `largest`; returns the norm it had. The same bits on any executor.
double clip_norm(Weights& gradients, double largest, Executor& executor = serial_executor());

}  // namespace tlm::lm
