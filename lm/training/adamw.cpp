#include "tlm/lm/training/adamw.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/kernels/cpu/block_kernels.h"
#include "tlm/lm/parallel.h"
#include "tlm/lm/safetensors.h"

namespace tlm::lm {
namespace {

constexpr size_t kBlock = 32768;  // elements of one task
constexpr size_t kPart = 1024;

template <typename Body>
void for_blocks(Executor& executor, size_t count, const Body& body) {  // body(first, count)
  parallel_for(executor, static_cast<int64_t>((count + kBlock - 1) / kBlock), [&](int64_t i, int) {
    const size_t first = static_cast<size_t>(i) * kBlock;
    body(first, std::min(kBlock, count - first));
  });
}

}  // namespace

AdamW::AdamW(const Config& config, AdamWOptions options) : options_(options), first_(config), second_(config) {}

void AdamW::step(Weights& weights, const Weights& gradients, float rate, Executor& executor) {
  TLM_CHECK(weights.config() == first_.config() && gradients.config() == first_.config());
  ++steps_;
  const auto scale = [&](float beta) {
    return static_cast<float>(1 / (1 - std::pow(static_cast<double>(beta), static_cast<double>(steps_))));
  };
  float *w = weights.data().data(), *m = first_.data().data(), *v = second_.data().data();
  const float* g = gradients.data().data();
  for (const WeightInfo& info : weights.table()) {
    const kernels::AdamWFactors factors = {options_.beta1,
                                           options_.beta2,
                                           options_.epsilon,
                                           scale(options_.beta1),
                                           scale(options_.beta2),
                                           rate,
                                           info.shape.size() > 1 ? options_.weight_decay : 0};
    for_blocks(executor, info.count, [&](size_t first, size_t count) {
      const size_t at = info.offset + first;
      kernels::block_kernels().adamw(w + at, m + at, v + at, g + at, factors, static_cast<int64_t>(count));
    });
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

double clip_norm(Weights& gradients, double largest, Executor& executor) {
  const kernels::BlockKernels& k = kernels::block_kernels();
  std::vector<float>& g = gradients.data();
  std::vector<double> squares((g.size() + kBlock - 1) / kBlock);  // of each block; their sum has one order
  for_blocks(executor, g.size(), [&](size_t first, size_t count) {
    double sum = 0;
    for (size_t i = first; i < first + count; i += kPart) {  // f32 within a part, f64 from part to part
      const auto part = static_cast<int64_t>(std::min(kPart, first + count - i));
      sum += k.dot(&g[i], &g[i], part);
    }
    squares[first / kBlock] = sum;
  });
  const double norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  if (norm > largest)
    for_blocks(executor, g.size(), [&](size_t first, size_t count) {
      k.scale(&g[first], static_cast<float>(largest / norm), static_cast<int64_t>(count));
    });
  return norm;
}

}  // namespace tlm::lm
