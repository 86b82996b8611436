#include "tlm/lm/decoding/token_filter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tlm::lm {
namespace {

constexpr double kNever = -INFINITY;

}  // namespace

void normalize(std::vector<double>& log_probabilities) {
  const double largest = *std::max_element(log_probabilities.begin(), log_probabilities.end());
  double sum = 0;
  for (const double v : log_probabilities) sum += std::exp(v - largest);
  for (double& v : log_probabilities) v -= largest + std::log(sum);
}

TokenFilter TokenFilter::from(Parameters& parameters) {
  TokenFilter f;
  f.temperature = parameters.number("temperature", f.temperature, 0.01, 100);
  f.top_k = parameters.whole("top-k", f.top_k, 0, 1 << 20);
  f.top_p = parameters.number("top-p", f.top_p, 0, 1);
  f.min_p = parameters.number("min-p", f.min_p, 0, 1);
  return f;
}

std::vector<double> TokenFilter::operator()(std::span<const double> log_probabilities) const {
  std::vector<double> out(log_probabilities.begin(), log_probabilities.end());
  for (double& v : out) v /= temperature;
  normalize(out);
  std::vector<size_t> order(out.size());  // most probable first
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return out[a] > out[b]; });
  size_t kept = top_k > 0 ? std::min(order.size(), static_cast<size_t>(top_k)) : order.size();
  if (top_p < 1) {
    double total = 0, sum = 0;  // p is of what top-k left
    for (size_t i = 0; i < kept; ++i) total += std::exp(out[order[i]]);
    size_t needed = 0;
    while (needed < kept && (needed == 0 || sum < top_p * total)) sum += std::exp(out[order[needed++]]);
    kept = needed;
  }
  while (kept > 1 && out[order[kept - 1]] < out[order[0]] + std::log(min_p)) --kept;
  for (size_t i = kept; i < order.size(); ++i) out[order[i]] = kNever;
  normalize(out);
  return out;
}

}  // namespace tlm::lm
