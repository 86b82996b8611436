#include "tlm/lm/training/adamw.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <span>

#include "tlm/core/error.h"
#include "tlm/lm/safetensors.h"

namespace tlm::lm {

AdamW::AdamW(const Config& config, AdamWOptions options) : options_(options), first_(config), second_(config) {}

void AdamW::step(Weights& weights, const Weights& gradients, float rate) {
  TLM_CHECK(weights.config() == first_.config() && gradients.config() == first_.config());
  ++steps_;
  const float scale1 = static_cast<float>(1 / (1 - std::pow(static_cast<double>(options_.beta1), static_cast<double>(steps_))));
  const float scale2 = static_cast<float>(1 / (1 - std::pow(static_cast<double>(options_.beta2), static_cast<double>(steps_))));
  float *w = weights.data().data(), *m = first_.data().data(), *v = second_.data().data();
  const float* g = gradients.data().data();
  for (const WeightInfo& info : weights.table()) {
    const float decay = info.shape.size() > 1 ? options_.weight_decay : 0;
    for (size_t i = info.offset; i < info.offset + info.count; ++i) {
      m[i] = options_.beta1 * m[i] + (1 - options_.beta1) * g[i];
      v[i] = options_.beta2 * v[i] + (1 - options_.beta2) * g[i] * g[i];
      w[i] -= rate * (m[i] * scale1 / (std::sqrt(v[i] * scale2) + options_.epsilon) + decay * w[i]);
    }
  }
}

void AdamW::save(const std::filesystem::path& path) const {
  const auto tensor = [](const char* name, const Weights& w) {
    return NamedTensor{name, {DType::kF32, {static_cast<int64_t>(w.data().size())}, std::as_bytes(std::span(w.data()))}};
  };
  write_safetensors(path, {tensor("first_moment", first_), tensor("second_moment", second_)},
                    {{"steps", std::to_string(steps_)}});
}

void AdamW::load(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  const auto fail = [&](const std::string& what) { throw Error(ErrorCode::kBadModel, what, path.string()); };
  const auto text = file.metadata().find("steps");
  int64_t steps = -1;
  if (text != file.metadata().end()) std::from_chars(text->second.data(), text->second.data() + text->second.size(), steps);
  if (steps < 0) fail("no number of steps");
  const std::pair<const char*, Weights*> moments[] = {{"first_moment", &first_}, {"second_moment", &second_}};
  for (const auto& [name, weights] : moments) {
    const SafeTensor* tensor = file.find(name);
    if (!tensor || tensor->type != DType::kF32 || tensor->count() != weights->data().size())
      fail(std::string("'") + name + "' is not the state of this model");
  }
  for (const auto& [name, weights] : moments) {
    const auto bytes = file.find(name)->bytes;
    std::memcpy(weights->data().data(), bytes.data(), bytes.size());
  }
  steps_ = steps;
}

double clip_norm(Weights& gradients, double largest) {
  double squares = 0;
  for (const float g : gradients.data()) squares += static_cast<double>(g) * g;
  const double norm = std::sqrt(squares);
  if (norm > largest)
    for (float& g : gradients.data()) g = static_cast<float>(g * (largest / norm));
  return norm;
}

}  // namespace tlm::lm
