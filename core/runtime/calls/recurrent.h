// What LSTM, GRU and RNN share: shapes, order of time, activations, projections.
//
// One direction d, one sequence b at a time:
//   X  [seq, batch, input]      (layout 1: [batch, seq, input])
//   W  [dirs, gates·H, input]   R [dirs, gates·H, H]   B [dirs, 2·gates·H]
//   h0 [dirs, batch, H]         (layout 1: [batch, dirs, H])
//   Y  [seq, dirs, batch, H]    (layout 1: [batch, seq, dirs, H])
#pragma once

#include "tlm/core/runtime/calls/call_support.h"

namespace tlm::runtime::calls {

constexpr size_t kSequence = 0, kWeights = 1, kRecurrence = 2, kBias = 3, kLengths = 4, kInitialH = 5, kInitialC = 6,
                 kPeephole = 7;
constexpr size_t kMaxActivations = 6;  // three for each of two directions

enum class Activation : uint8_t {
  kRelu,
  kTanh,
  kSigmoid,
  kAffine,
  kLeakyRelu,
  kThresholdedRelu,
  kScaledTanh,
  kHardSigmoid,
  kElu,
  kSoftsign,
  kSoftplus,
};

struct ActivationFunction {
  Activation kind;
  double alpha, beta;

  template <typename C>
  C operator()(C x) const {
    const C a = static_cast<C>(alpha), b = static_cast<C>(beta);
    switch (kind) {
      case Activation::kRelu: return x > 0 ? x : C(0);
      case Activation::kTanh: return std::tanh(x);
      case Activation::kSigmoid: return C(1) / (C(1) + std::exp(-x));
      case Activation::kAffine: return a * x + b;
      case Activation::kLeakyRelu: return x >= 0 ? x : a * x;
      case Activation::kThresholdedRelu: return x > a ? x : C(0);
      case Activation::kScaledTanh: return a * std::tanh(b * x);
      case Activation::kHardSigmoid: return std::min(C(1), std::max(C(0), a * x + b));
      case Activation::kElu: return x >= 0 ? x : a * std::expm1(x);
      case Activation::kSoftsign: return x / (C(1) + std::fabs(x));
      default: return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));  // Softplus
    }
  }
};

// Everything about a step that does not depend on data.
struct RecurrentPlan {
  int64_t seq, batch, input, hidden, directions;
  bool batch_first;      // layout 1
  bool backward_only;    // direction = reverse
  double clip;           // bound of the activations' arguments; 0: none
  int activations_each;  // of one direction
  ActivationFunction activations[kMaxActivations];

  // Offsets in elements.
  int64_t x_at(int64_t t, int64_t b) const { return (batch_first ? b * seq + t : t * batch + b) * input; }
  int64_t y_at(int64_t t, int64_t d, int64_t b) const {
    return (batch_first ? (b * seq + t) * directions + d : (t * directions + d) * batch + b) * hidden;
  }
  int64_t state_at(int64_t d, int64_t b) const { return (batch_first ? b * directions + d : d * batch + b) * hidden; }
};

struct RecurrentKind {
  int gates;
  size_t max_inputs, max_outputs;
  int activations_each;
  const char* default_activations;  // of one direction, joined by commas
};

// Checks everything that LSTM, GRU and RNN have in common. Throws Error(kBadModel), Error(kUnsupported).
void check_recurrent(const StepDesc& step, const RecurrentKind& kind);
// Allocates nothing; the step has been checked.
RecurrentPlan plan_recurrent(const StepDesc& step, const RecurrentKind& kind) noexcept;
// Enough for the state, the gates and one input row of any of the three, in the widest type.
uint64_t recurrent_workspace(std::span<const TensorDesc> tensors, const CallNumbers& numbers);

// Σ a[i]·b[i] with a fixed order of additions: sixteen chains, which compilers turn into vectors.
template <typename T, typename C>
C dot(const T* a, const C* b, int64_t n) {
  C sums[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int64_t j = 0; j < 16; ++j) sums[j] += load(a[i + j]) * b[i + j];
  for (; i < n; ++i) sums[i % 16] += load(a[i]) * b[i];
  for (int width = 8; width > 0; width /= 2)
    for (int j = 0; j < width; ++j) sums[j] += sums[j + width];
  return sums[0];
}

// out[r] += Σ weights[r, i]·v[i] + bias[r] for r in [0, rows); bias may be null.
template <typename T, typename C>
void add_projection(C* out, const T* weights, const C* v, const T* bias, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) out[r] += dot(weights + r * columns, v, columns) + (bias ? load(bias[r]) : C(0));
}

template <typename C>
C clipped(C x, double clip) {
  return clip > 0 ? std::min(std::max(x, static_cast<C>(-clip)), static_cast<C>(clip)) : x;
}

// Parameters of one direction, and the working memory of a sequence.
template <typename T>
struct RecurrentState {
  using C = Compute<T>;
  const T *w, *r, *wb, *rb, *peephole;  // of this direction; biases and peephole may be null
  const ActivationFunction* f;          // activations_each functions
  C *h, *c, *x;                         // [H], [H], [input]
  C* gates;                             // [gates·H], scratch of a step
  C* more;                              // [gates·H], scratch of a step
};

// Runs `cell(plan, state)`, which turns state.h (and state.c) of one step into those of the next, over all sequences.
template <typename T, typename Cell>
CallStatus run_recurrent(const CallContext& context, const RecurrentKind& kind, Cell&& cell) noexcept {
  using C = Compute<T>;
  const StepDesc& step = *context.step;
  const RecurrentPlan plan = plan_recurrent(step, kind);
  const auto in = [&](size_t i) {
    return static_cast<const T*>(i < static_cast<size_t>(step.call_inputs) ? context.buffers[i] : nullptr);
  };
  const auto out = [&](size_t i) {
    const size_t at = static_cast<size_t>(step.call_inputs) + i;
    return static_cast<T*>(at < step.tensors.size() ? context.buffers[at] : nullptr);
  };
  const auto* lengths = reinterpret_cast<const int32_t*>(in(kLengths));
  const int64_t H = plan.hidden, rows = kind.gates * H;
  for (int64_t b = 0; lengths && b < plan.batch; ++b)
    if (lengths[b] < 0 || lengths[b] > plan.seq) return {"length of a sequence out of range", lengths[b], plan.seq};

  RecurrentState<T> s;
  s.gates = static_cast<C*>(context.workspace);
  s.more = s.gates + rows;
  s.h = s.more + rows;
  s.c = s.h + H;
  s.x = s.c + H;
  for (int64_t d = 0; d < plan.directions; ++d) {
    const bool backward = plan.backward_only || d == 1;
    s.w = in(kWeights) + d * rows * plan.input;
    s.r = in(kRecurrence) + d * rows * H;
    s.wb = in(kBias) ? in(kBias) + d * 2 * rows : nullptr;
    s.rb = s.wb ? s.wb + rows : nullptr;
    s.peephole = kind.max_inputs > kPeephole && in(kPeephole) ? in(kPeephole) + d * 3 * H : nullptr;
    s.f = plan.activations + d * kind.activations_each;
    for (int64_t b = 0; b < plan.batch; ++b) {
      const int64_t length = lengths ? lengths[b] : plan.seq, state = plan.state_at(d, b);
      const T *h0 = in(kInitialH), *c0 = kind.max_inputs > kInitialC ? in(kInitialC) : nullptr;
      for (int64_t j = 0; j < H; ++j) {
        s.h[j] = h0 ? load(h0[state + j]) : C(0);
        s.c[j] = c0 ? load(c0[state + j]) : C(0);
      }
      for (int64_t n = 0; n < length; ++n) {
        const int64_t t = backward ? length - 1 - n : n;
        const T* x = in(kSequence) + plan.x_at(t, b);
        for (int64_t i = 0; i < plan.input; ++i) s.x[i] = load(x[i]);
        cell(plan, s);
        if (T* y = out(0))
          for (int64_t j = 0; j < H; ++j) y[plan.y_at(t, d, b) + j] = store<T>(s.h[j]);
      }
      if (T* y = out(0))  // past the end of a shorter sequence
        for (int64_t t = length; t < plan.seq; ++t) std::fill_n(y + plan.y_at(t, d, b), H, T{});
      for (int64_t j = 0; j < H; ++j) {
        if (T* y = out(1)) y[state + j] = store<T>(s.h[j]);
        if (T* y = kind.max_outputs > 2 ? out(2) : nullptr) y[state + j] = store<T>(s.c[j]);
      }
    }
  }
  return {};
}

// Calls f.template operator()<T>() with the element type: f16, bf16, f32 or f64.
template <typename F>
CallStatus with_float(const StepDesc& step, F&& f) {
  switch (step.tensors[kSequence].dtype) {
    case DType::kF64: return f.template operator()<double>();
    case DType::kF16: return f.template operator()<Half>();
    case DType::kBF16: return f.template operator()<BFloat>();
    default: return f.template operator()<float>();
  }
}

}  // namespace tlm::runtime::calls
