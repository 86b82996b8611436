// The size of a model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tlm::lm {

struct Config {
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t width = 0;       // C: of a token's vector
  int64_t inner = 0;       // of the MLP's hidden layer; usually 4 · width
  int64_t context = 0;     // the most tokens in a sequence
  int64_t vocabulary = 0;  // V
  float epsilon = 1e-5f;   // of LayerNorm

  int64_t head_width() const { return width / heads; }
  bool operator==(const Config&) const = default;
};

// Throws Error(kBadModel) unless every size is positive and reasonable and the heads divide the width.
void check(const Config& config, const std::string& where);

// config.json of GPT-2 checkpoints (vocab_size, n_positions, n_embd, n_layer, n_head, n_inner, layer_norm_epsilon). Throws
// Error(kBadModel) for what is malformed, Error(kUnsupported) for another model type or activation function.
Config parse_config(std::string_view json, const std::string& where);
std::string print_config(const Config& config);

}  // namespace tlm::lm
