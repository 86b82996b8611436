#include "tlm/lm/training/backward.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/kernels/cpu/transformer_kernels.h"
#include "tlm/lm/parallel.h"
#include "tlm/lm/training/batch_check.h"

namespace tlm::lm {
namespace {

using Floats = std::vector<float>;

// What the backward pass of one layer reads. N rows.
struct LayerActivations {
  Floats in;                     // [N, C] the residual before the layer
  Floats mean1, rstd1, normed1;  // [N], [N], [N, C]
  Floats qkv;                    // [N, 3C]
  Floats p;       // for each segment [H, T, S] attention weights, S = prefix + T keys; those of later tokens unused
  Floats mixed;   // [N, C] heads' results side by side
  Floats middle;  // [N, C] the residual after attention
  Floats mean2, rstd2, normed2;  // [N], [N], [N, C]
  Floats hidden, activated;      // [N, F] before and after GELU
};

void add(Floats& to, const Floats& what) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

class Pass {
 public:
  Pass(Weights& weights, const TrainingBatch& batch, Executor& executor)
      : w_(weights),
        batch_(batch),
        executor_(executor),
        C(w_.config().width),
        F(w_.config().inner),
        V(w_.config().vocabulary),
        H(w_.config().heads),
        D(w_.config().head_width()),
        N(static_cast<int64_t>(batch.tokens.size())),
        targets_(check(batch, w_.config())) {
    for (const Segment& s : batch.segments) {
      const int64_t prefix = s.prefix_end - s.prefix_begin;
      for (int64_t r = s.begin; r < s.end; ++r) positions_.push_back(prefix + r - s.begin);
      weights_begin_.push_back(attention_weights_);
      attention_weights_ += H * (s.end - s.begin) * (prefix + s.end - s.begin);
    }
  }

  double forward();
  void backward(Weights& gradients);

 private:
  size_t n(int64_t a, int64_t b = 1) const { return static_cast<size_t>(a) * static_cast<size_t>(b); }
  void attention(LayerActivations& a);
  // dqkv [N, 3C] from dmixed [N, C].
  Floats attention_backward(const LayerActivations& a, const Floats& dmixed);
  double loss();  // turns logits_ into the gradient by the logits

  Weights& w_;
  const TrainingBatch& batch_;
  Executor& executor_;
  const int64_t C, F, V, H, D, N;
  const int64_t targets_;
  std::vector<int64_t> positions_;      // [N]
  std::vector<int64_t> weights_begin_;  // of each segment in LayerActivations::p
  int64_t attention_weights_ = 0;       // floats of it
  std::vector<LayerActivations> layers_;
  Floats last_, mean_, rstd_, normed_;  // [N, C], [N], [N], [N, C]: around the final LayerNorm
  Floats head_, logits_;                // [C, V] wte transposed; [N, V]
};

// Keys, or values, of one head of a segment and its prefix, one after the other. `first` points to the head in row 0 of qkv.
void gather(float* out, const float* first, const Segment& s, int64_t stride, int64_t D) {
  for (int64_t r = s.prefix_begin; r < s.prefix_end; ++r, out += D) std::copy_n(first + r * stride, D, out);
  for (int64_t r = s.begin; r < s.end; ++r, out += D) std::copy_n(first + r * stride, D, out);
}
void scatter_add(float* first, const float* in, const Segment& s, int64_t stride, int64_t D) {
  const auto add_row = [&](int64_t r) {
    for (int64_t i = 0; i < D; ++i) first[r * stride + i] += *in++;
  };
  for (int64_t r = s.prefix_begin; r < s.prefix_end; ++r) add_row(r);
  for (int64_t r = s.begin; r < s.end; ++r) add_row(r);
}

void Pass::attention(LayerActivations& a) {
  parallel_for(executor_, H, [&](int64_t h, int) {
    Floats keys(n(w_.config().context, D)), values(keys.size());
    for (size_t i = 0; i < batch_.segments.size(); ++i) {
      const Segment& s = batch_.segments[i];
      const int64_t prefix = s.prefix_end - s.prefix_begin, T = s.end - s.begin, S = prefix + T;
      const float* first = &a.qkv[n(h, D)];
      gather(keys.data(), first + C, s, 3 * C, D);
      gather(values.data(), first + 2 * C, s, 3 * C, D);
      for (int64_t t = 0; t < T; ++t)
        kernels::attend(&a.mixed[n(s.begin + t, C) + n(h, D)], &a.p[n(weights_begin_[i] + (h * T + t) * S)],
                        first + (s.begin + t) * 3 * C, keys.data(), values.data(), prefix + t + 1, D, D);
    }
  });
}

Floats Pass::attention_backward(const LayerActivations& a, const Floats& dmixed) {
  Floats dqkv(n(N, 3 * C));
  parallel_for(executor_, H, [&](int64_t h, int) {  // a head touches columns of its own
    const size_t context = n(w_.config().context);
    Floats keys(context * n(D)), values(keys.size()), dkeys(keys.size()), dvalues(keys.size()), scratch(context);
    for (size_t i = 0; i < batch_.segments.size(); ++i) {
      const Segment& s = batch_.segments[i];
      const int64_t prefix = s.prefix_end - s.prefix_begin, T = s.end - s.begin, S = prefix + T;
      const float* first = &a.qkv[n(h, D)];
      float* d = &dqkv[n(h, D)];
      gather(keys.data(), first + C, s, 3 * C, D);
      gather(values.data(), first + 2 * C, s, 3 * C, D);
      std::fill(dkeys.begin(), dkeys.end(), 0.0f);
      std::fill(dvalues.begin(), dvalues.end(), 0.0f);
      for (int64_t t = 0; t < T; ++t)
        kernels::attend_backward(d + (s.begin + t) * 3 * C, dkeys.data(), dvalues.data(), scratch.data(),
                                 &dmixed[n(s.begin + t, C) + n(h, D)], &a.p[n(weights_begin_[i] + (h * T + t) * S)],
                                 first + (s.begin + t) * 3 * C, keys.data(), values.data(), prefix + t + 1, D, D);
      scatter_add(d + C, dkeys.data(), s, 3 * C, D);
      scatter_add(d + 2 * C, dvalues.data(), s, 3 * C, D);
    }
  });
  return dqkv;
}

double Pass::loss() {
  double total = 0;
  const double share = 1.0 / static_cast<double>(targets_);
  std::vector<int32_t> all(n(V));
  std::iota(all.begin(), all.end(), 0);
  std::vector<float> legal_logits(n(V));
  for (int64_t r = 0; r < N; ++r) {
    float* row = &logits_[n(r, V)];
    const int32_t target = batch_.targets[n(r)], set = batch_.legal[n(r)];
    if (target == TrainingBatch::kNoTarget) {
      std::fill(row, row + V, 0.0f);
      continue;
    }
    const std::vector<int32_t>& legal = set == TrainingBatch::kAllLegal ? all : batch_.legal_sets[n(set)];
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < legal.size(); ++i) largest = std::max<double>(largest, legal_logits[i] = row[legal[i]]);
    for (size_t i = 0; i < legal.size(); ++i) sum += std::exp(legal_logits[i] - largest);
    total += std::log(sum) + largest - row[target];
    std::fill(row, row + V, 0.0f);
    for (size_t i = 0; i < legal.size(); ++i)
      row[legal[i]] = static_cast<float>((std::exp(legal_logits[i] - largest) / sum - (legal[i] == target)) * share);
  }
  return total * share;
}

double Pass::forward() {
  const float epsilon = w_.config().epsilon;
  Floats x(n(N, C)), added(n(N, C));
  for (int64_t r = 0; r < N; ++r)
    for (int64_t c = 0; c < C; ++c)
      x[n(r, C) + n(c)] = w_.tokens()[batch_.tokens[n(r)] * C + c] + w_.positions()[positions_[n(r)] * C + c];
  layers_.resize(n(w_.config().layers));
  for (int64_t l = 0; l < w_.config().layers; ++l) {
    LayerActivations& a = layers_[n(l)];
    const LayerWeights w = w_.layer(l);
    for (Floats* rows : {&a.mean1, &a.rstd1, &a.mean2, &a.rstd2}) rows->resize(n(N));
    for (Floats* vectors : {&a.normed1, &a.mixed, &a.normed2}) vectors->resize(n(N, C));
    a.qkv.resize(n(N, 3 * C)), a.p.resize(n(attention_weights_)), a.hidden.resize(n(N, F)), a.activated.resize(n(N, F));
    a.in = x;
    kernels::layer_norm(a.normed1.data(), a.mean1.data(), a.rstd1.data(), x.data(), w.ln1_weight, w.ln1_bias, epsilon, N, C);
    kernels::linear(a.qkv.data(), a.normed1.data(), w.attention_weight, w.attention_bias, N, C, 3 * C, executor_);
    attention(a);
    kernels::linear(added.data(), a.mixed.data(), w.output_weight, w.output_bias, N, C, C, executor_);
    add(x, added);
    a.middle = x;
    kernels::layer_norm(a.normed2.data(), a.mean2.data(), a.rstd2.data(), x.data(), w.ln2_weight, w.ln2_bias, epsilon, N, C);
    kernels::linear(a.hidden.data(), a.normed2.data(), w.fc_weight, w.fc_bias, N, C, F, executor_);
    kernels::gelu(a.activated.data(), a.hidden.data(), N * F);
    kernels::linear(added.data(), a.activated.data(), w.mlp_weight, w.mlp_bias, N, F, C, executor_);
    add(x, added);
  }
  last_ = std::move(x);
  mean_.resize(n(N)), rstd_.resize(n(N)), normed_.resize(n(N, C)), head_.resize(n(C, V)), logits_.resize(n(N, V));
  kernels::layer_norm(normed_.data(), mean_.data(), rstd_.data(), last_.data(), w_.final_weight(), w_.final_bias(), epsilon, N,
                      C);
  for (int64_t v = 0; v < V; ++v)
    for (int64_t c = 0; c < C; ++c) head_[n(c, V) + n(v)] = w_.tokens()[v * C + c];
  kernels::linear(logits_.data(), normed_.data(), head_.data(), nullptr, N, C, V, executor_);
  return loss();
}

void Pass::backward(Weights& gradients) {
  Floats d(n(N, C)), dx(n(N, C)), dhead(n(C, V));  // d: by the result of the step at hand; dx: by the residual
  kernels::linear_backward(d.data(), dhead.data(), nullptr, logits_.data(), normed_.data(), head_.data(), N, C, V, executor_);
  for (int64_t v = 0; v < V; ++v)
    for (int64_t c = 0; c < C; ++c) gradients.tokens()[v * C + c] += dhead[n(c, V) + n(v)];
  kernels::layer_norm_backward(dx.data(), gradients.final_weight(), gradients.final_bias(), d.data(), last_.data(),
                               w_.final_weight(), mean_.data(), rstd_.data(), N, C);
  Floats dhidden(n(N, F));
  for (int64_t l = w_.config().layers - 1; l >= 0; --l) {
    const LayerActivations& a = layers_[n(l)];
    const LayerWeights w = w_.layer(l), g = gradients.layer(l);
    kernels::linear_backward(dhidden.data(), g.mlp_weight, g.mlp_bias, dx.data(), a.activated.data(), w.mlp_weight, N, F, C,
                             executor_);
    kernels::gelu_backward(dhidden.data(), dhidden.data(), a.hidden.data(), N * F);
    kernels::linear_backward(d.data(), g.fc_weight, g.fc_bias, dhidden.data(), a.normed2.data(), w.fc_weight, N, C, F, executor_);
    kernels::layer_norm_backward(dx.data(), g.ln2_weight, g.ln2_bias, d.data(), a.middle.data(), w.ln2_weight, a.mean2.data(),
                                 a.rstd2.data(), N, C);
    kernels::linear_backward(d.data(), g.output_weight, g.output_bias, dx.data(), a.mixed.data(), w.output_weight, N, C, C,
                             executor_);
    const Floats dqkv = attention_backward(a, d);
    kernels::linear_backward(d.data(), g.attention_weight, g.attention_bias, dqkv.data(), a.normed1.data(), w.attention_weight, N,
                             C, 3 * C, executor_);
    kernels::layer_norm_backward(dx.data(), g.ln1_weight, g.ln1_bias, d.data(), a.in.data(), w.ln1_weight, a.mean1.data(),
                                 a.rstd1.data(), N, C);
  }
  for (int64_t r = 0; r < N; ++r)
    for (int64_t c = 0; c < C; ++c) {
      gradients.tokens()[batch_.tokens[n(r)] * C + c] += dx[n(r, C) + n(c)];
      gradients.positions()[positions_[n(r)] * C + c] += dx[n(r, C) + n(c)];
    }
}

}  // namespace

double loss_and_gradients(Weights& weights, const TrainingBatch& batch, Weights* gradients, Executor& executor) {
  TLM_CHECK(!gradients || gradients->config() == weights.config());
  Pass pass(weights, batch, executor);
  const double loss = pass.forward();
  if (gradients) pass.backward(*gradients);
  return loss;
}

}  // namespace tlm::lm
