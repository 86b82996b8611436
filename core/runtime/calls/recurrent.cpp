#include "tlm/core/runtime/calls/recurrent.h"

namespace tlm::runtime::calls {
namespace {

struct ActivationRow {
  std::string_view name;
  Activation kind;
  bool takes_alpha, takes_beta;
  double alpha, beta;  // defaults
};

constexpr ActivationRow kActivationTable[] = {
    {"Relu", Activation::kRelu, false, false, 0, 0},
    {"Tanh", Activation::kTanh, false, false, 0, 0},
    {"Sigmoid", Activation::kSigmoid, false, false, 0, 0},
    {"Affine", Activation::kAffine, true, true, 1, 0},
    {"LeakyRelu", Activation::kLeakyRelu, true, false, 0.01, 0},
    {"ThresholdedRelu", Activation::kThresholdedRelu, true, false, 1, 0},
    {"ScaledTanh", Activation::kScaledTanh, true, true, 1, 1},
    {"HardSigmoid", Activation::kHardSigmoid, true, true, 0.2, 0.5},
    {"Elu", Activation::kElu, true, false, 1, 0},
    {"Softsign", Activation::kSoftsign, false, false, 0, 0},
    {"Softplus", Activation::kSoftplus, false, false, 0, 0},
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

const ActivationRow* find_activation(std::string_view name) {
  for (const ActivationRow& row : kActivationTable)
    if (same_name(row.name, name)) return &row;
  return nullptr;
}

// The next word of a list joined by commas; takes it off.
std::string_view next_word(std::string_view& list) {
  const size_t comma = list.find(',');
  std::string_view word = list.substr(0, comma);
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  return word;
}

std::span<const double> values(const CallNumbers& numbers, std::string_view name) {
  for (const auto& [key, list] : numbers)
    if (key == name) return list;
  return {};
}

int64_t directions(const StepDesc& step) { return text(step, "direction", "forward") == "bidirectional" ? 2 : 1; }

}  // namespace

void check_recurrent(const StepDesc& step, const RecurrentKind& kind) {
  const auto inputs = static_cast<size_t>(step.call_inputs);
  require(inputs > kRecurrence && inputs <= kind.max_inputs, step, "has " + std::to_string(inputs) + " inputs");
  require(step.tensors.size() <= inputs + kind.max_outputs, step, "has too many outputs");
  const std::string_view direction = text(step, "direction", "forward");
  require(direction == "forward" || direction == "reverse" || direction == "bidirectional", step,
          "unknown direction '" + std::string(direction) + "'");
  const double layout = number(step.numbers, "layout", 0);
  require(layout == 0 || layout == 1, step, "layout " + std::to_string(layout));

  const std::span<const TensorDesc> all(step.tensors), ins = all.first(inputs);
  const TensorDesc *x = tensor(ins, kSequence), *w = tensor(ins, kWeights), *r = tensor(ins, kRecurrence);
  require(x && w && r, step, "wants inputs X, W and R");
  require(x->shape.size() == 3 && r->shape.size() == 3, step, "X and R have three dimensions");
  if (!is_float(x->dtype)) throw Error(ErrorCode::kUnsupported, step.call + ": X of " + std::string(dtype_name(x->dtype)));
  const int64_t dirs = directions(step), hidden = r->shape[2], input = x->shape[2];
  const int64_t seq = x->shape[layout == 0 ? 0 : 1], batch = x->shape[layout == 0 ? 1 : 0], rows = kind.gates * hidden;
  const double stated = number(step.numbers, "hidden_size", static_cast<double>(hidden));
  require(stated == static_cast<double>(hidden), step,
          "hidden_size " + std::to_string(stated) + ", but R is " + to_string(r->shape));

  const Shape state = layout == 0 ? Shape{dirs, batch, hidden} : Shape{batch, dirs, hidden};
  const Shape y = layout == 0 ? Shape{seq, dirs, batch, hidden} : Shape{batch, seq, dirs, hidden};
  const auto expect = [&](const TensorDesc* t, const Shape& shape, DType dtype, const char* name) {
    require(!t || (t->shape == shape && t->dtype == dtype), step,
            std::string(name) + " should be " + to_string(shape) + " of " + std::string(dtype_name(dtype)) +
                (t ? ", not " + to_string(t->shape) + " of " + std::string(dtype_name(t->dtype)) : ""));
  };
  expect(w, {dirs, rows, input}, x->dtype, "W");
  expect(r, {dirs, rows, hidden}, x->dtype, "R");
  expect(tensor(ins, kBias), {dirs, 2 * rows}, x->dtype, "B");
  expect(tensor(ins, kLengths), {batch}, DType::kI32, "sequence_lens");
  expect(tensor(ins, kInitialH), state, x->dtype, "initial_h");
  expect(tensor(ins, kInitialC), state, x->dtype, "initial_c");
  expect(tensor(ins, kPeephole), {dirs, 3 * hidden}, x->dtype, "P");
  expect(tensor(all, inputs), y, x->dtype, "Y");
  expect(tensor(all, inputs + 1), state, x->dtype, "Y_h");
  expect(tensor(all, inputs + 2), state, x->dtype, "Y_c");

  std::string_view list = text(step, "activations", "");
  if (list.empty()) return;
  for (int64_t i = 0; i < dirs * kind.activations_each; ++i) {
    const std::string_view word = next_word(list);
    require(!word.empty(), step, "has too few activations");
    if (!find_activation(word)) throw Error(ErrorCode::kUnsupported, step.call + ": activation '" + std::string(word) + "'");
  }
  require(list.empty(), step, "has too many activations");
}

RecurrentPlan plan_recurrent(const StepDesc& step, const RecurrentKind& kind) noexcept {
  RecurrentPlan plan{};
  const Shape& x = step.tensors[kSequence].shape;
  plan.batch_first = number(step.numbers, "layout", 0) == 1;
  plan.seq = x[plan.batch_first ? 1 : 0];
  plan.batch = x[plan.batch_first ? 0 : 1];
  plan.input = x[2];
  plan.hidden = step.tensors[kRecurrence].shape[2];
  plan.directions = directions(step);
  plan.backward_only = text(step, "direction", "forward") == "reverse";
  plan.clip = number(step.numbers, "clip", 0);
  plan.activations_each = kind.activations_each;

  const auto alphas = values(step.numbers, "activation_alpha"), betas = values(step.numbers, "activation_beta");
  size_t alpha = 0, beta = 0;  // a value goes to the next function that takes one
  std::string_view list = text(step, "activations", "");
  const bool defaults = list.empty();
  for (int64_t d = 0; d < plan.directions; ++d) {
    if (defaults) list = kind.default_activations;
    for (int i = 0; i < kind.activations_each; ++i) {
      const ActivationRow& row = *find_activation(next_word(list));
      ActivationFunction& f = plan.activations[d * kind.activations_each + i];
      f = {row.kind, row.alpha, row.beta};
      if (row.takes_alpha && alpha < alphas.size()) f.alpha = alphas[alpha++];
      if (row.takes_beta && beta < betas.size()) f.beta = betas[beta++];
    }
  }
  return plan;
}

uint64_t recurrent_workspace(std::span<const TensorDesc> tensors, const CallNumbers&) {
  if (tensors.size() <= kRecurrence || tensors[kSequence].shape.size() != 3 || tensors[kRecurrence].shape.size() != 3) return 0;
  const auto input = static_cast<uint64_t>(tensors[kSequence].shape[2]);
  const auto hidden = static_cast<uint64_t>(tensors[kRecurrence].shape[2]),
             rows = static_cast<uint64_t>(tensors[kRecurrence].shape[1]);
  return (2 * rows + 2 * hidden + input) * sizeof(double);
}

}  // namespace tlm::runtime::calls
