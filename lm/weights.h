// The tensors of a model: one allocation, carved by a table. Gradients and the optimiser's moments have the same form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/lm/config.h"

namespace tlm::lm {

// One tensor of the table, by its usual GPT-2 name ("h.0.attn.c_attn.weight").
struct WeightInfo {
  std::string name;
  std::vector<int64_t> shape;
  size_t offset = 0;  // floats
  size_t count = 0;
};

// Pointers into Weights. C width, F inner width; linear weights are stored [in, out].
struct LayerWeights {
  float *ln1_weight, *ln1_bias;              // [C], [C]
  float *attention_weight, *attention_bias;  // [C, 3C], [3C]: query, key, value
  float *output_weight, *output_bias;        // [C, C], [C]
  float *ln2_weight, *ln2_bias;              // [C], [C]
  float *fc_weight, *fc_bias;                // [C, F], [F]
  float *mlp_weight, *mlp_bias;              // [F, C], [C]
};

class Weights {
 public:
  explicit Weights(const Config& config);  // zeros; throws Error(kBadModel) for a bad configuration

  const Config& config() const { return config_; }
  const std::vector<WeightInfo>& table() const { return table_; }  // in the order of the allocation
  std::vector<float>& data() { return data_; }
  const std::vector<float>& data() const { return data_; }

  float* tokens() { return data_.data(); }                        // wte [V, C]; transposed it is the output head
  float* positions() { return data_.data() + table_[1].offset; }  // wpe [context, C]
  LayerWeights layer(int64_t index);
  float* final_weight() { return data_.data() + table_[table_.size() - 2].offset; }  // ln_f [C]
  float* final_bias() { return data_.data() + table_[table_.size() - 1].offset; }    // [C]

  // As GPT-2 starts: normal with deviation 0.02, 0.02 / sqrt(2 · layers) where a block adds to the residual; LayerNorm weights 1.
  void initialize(uint64_t seed);

 private:
  Config config_;
  std::vector<WeightInfo> table_;
  std::vector<float> data_;
};

}  // namespace tlm::lm
