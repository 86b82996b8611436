#include "tlm/lm/weights.h"

#include <cmath>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"

namespace tlm::lm {
namespace {

constexpr size_t kTensorsOfLayer = 12;

std::vector<WeightInfo> table_of(const Config& c) {
  std::vector<WeightInfo> table;
  size_t offset = 0;
  const auto add = [&](const std::string& name, std::vector<int64_t> shape) {
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    table.push_back({name, std::move(shape), offset, count});
    offset += count;
  };
  const int64_t C = c.width, F = c.inner;
  add("wte.weight", {c.vocabulary, C});
  add("wpe.weight", {c.context, C});
  for (int64_t i = 0; i < c.layers; ++i) {
    const std::string h = "h." + std::to_string(i) + ".";
    add(h + "ln_1.weight", {C});
    add(h + "ln_1.bias", {C});
    add(h + "attn.c_attn.weight", {C, 3 * C});
    add(h + "attn.c_attn.bias", {3 * C});
    add(h + "attn.c_proj.weight", {C, C});
    add(h + "attn.c_proj.bias", {C});
    add(h + "ln_2.weight", {C});
    add(h + "ln_2.bias", {C});
    add(h + "mlp.c_fc.weight", {C, F});
    add(h + "mlp.c_fc.bias", {F});
    add(h + "mlp.c_proj.weight", {F, C});
    add(h + "mlp.c_proj.bias", {C});
  }
  add("ln_f.weight", {C});
  add("ln_f.bias", {C});
  return table;
}

}  // namespace

Weights::Weights(const Config& config) : config_(config) {
  check(config, "model configuration");
  table_ = table_of(config);
  data_.resize(table_.back().offset + table_.back().count);
}

LayerWeights Weights::layer(int64_t index) {
  TLM_CHECK(index >= 0 && index < config_.layers) << index;
  const WeightInfo* info = &table_[2 + static_cast<size_t>(index) * kTensorsOfLayer];
  const auto at = [&](size_t i) { return data_.data() + info[i].offset; };
  return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11)};
}

void Weights::initialize(uint64_t seed) {
  Rng rng(seed);
  const double residual = 0.02 / std::sqrt(2.0 * static_cast<double>(config_.layers));
  for (const WeightInfo& info : table_) {
    const bool norm = info.name.find("ln_") != std::string::npos;
    const double deviation = info.name.ends_with("c_proj.weight") ? residual : 0.02;
    for (size_t i = info.offset; i < info.offset + info.count; ++i)
      data_[i] = info.shape.size() == 2 ? static_cast<float>(deviation * rng.normal())
                                        : (norm && info.name.ends_with(".weight") ? 1.0f : 0.0f);
  }
}

}  // namespace tlm::lm
