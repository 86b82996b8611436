// TopK: the largest or smallest elements along an axis; equal ones by their index, the lower first; NaN is the greatest.
#include "tlm/core/runtime/calls/call_support.h"

namespace tlm::runtime::calls {
namespace {

constexpr size_t kX = 0, kK = 1;

struct Slices {
  int64_t outer, extent, inner, k;
};

// Output `i` (0: values, 1: indices), or null.
const TensorDesc* output(const StepDesc& step, size_t i) {
  return tensor(step.tensors, static_cast<size_t>(step.call_inputs) + i);
}

const TensorDesc& some_output(const StepDesc& step) {
  const TensorDesc* values = output(step, 0);
  return values ? *values : *output(step, 1);
}

void check(const StepDesc& step) {
  const TensorDesc* x = tensor(step.tensors, kX);
  require(x && (step.call_inputs == kK || step.call_inputs == kK + 1), step, "wants inputs X and K");
  require(x->dtype != DType::kBool && !x->shape.empty(), step, "X is no tensor of numbers");
  require(step.tensors.size() <= static_cast<size_t>(step.call_inputs) + 2, step, "has at most two outputs");
  const TensorDesc *values = output(step, 0), *indices = output(step, 1);
  require(values || indices, step, "has no output");
  require(!values || values->dtype == x->dtype, step, "values have another type than X");
  require(!indices || indices->dtype == DType::kI64, step, "indices are no i64");
  const size_t axis = check_axis(step, static_cast<int64_t>(x->shape.size()), -1);
  for (const TensorDesc* out : {values, indices}) {
    if (!out) continue;
    require(out->shape.size() == x->shape.size(), step, "rank of an output differs from X");
    for (size_t d = 0; d < x->shape.size(); ++d)
      require(d == axis ? out->shape[d] <= x->shape[d] : out->shape[d] == x->shape[d], step,
              "output " + to_string(out->shape) + " of X " + to_string(x->shape));
    require(out->shape == some_output(step).shape, step, "its outputs have different shapes");
  }
}

// Indices of one slice.
uint64_t workspace(std::span<const TensorDesc> tensors, const CallNumbers& numbers) {
  if (tensors.empty() || tensors[kX].shape.empty()) return 0;
  const Shape& shape = tensors[kX].shape;
  const double rank = static_cast<double>(shape.size()), axis = number(numbers, "axis", -1), at = axis < 0 ? axis + rank : axis;
  return at >= 0 && at < rank ? static_cast<uint64_t>(shape[static_cast<size_t>(at)]) * sizeof(int64_t) : 0;
}

// a before b in ascending order?
template <typename T>
bool less(const T& a, const T& b) {
  const auto x = load(a), y = load(b);
  if constexpr (std::is_floating_point_v<Compute<T>>) {
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x);
  }
  return x < y;
}
template <typename T>
bool same(const T& a, const T& b) {
  const auto x = load(a), y = load(b);
  if constexpr (std::is_floating_point_v<Compute<T>>) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  }
  return x == y;
}

template <typename T>
void run_typed(const CallContext& context, const Slices& s, bool largest) {
  const size_t first_output = static_cast<size_t>(context.step->call_inputs);
  const auto* x = static_cast<const T*>(context.buffers[kX]);
  auto* values = static_cast<T*>(output(*context.step, 0) ? context.buffers[first_output] : nullptr);
  auto* indices = static_cast<int64_t*>(output(*context.step, 1) ? context.buffers[first_output + 1] : nullptr);
  auto* order = static_cast<int64_t*>(context.workspace);
  for (int64_t o = 0; o < s.outer; ++o)
    for (int64_t i = 0; i < s.inner; ++i) {
      const T* slice = x + o * s.extent * s.inner + i;
      for (int64_t e = 0; e < s.extent; ++e) order[e] = e;
      std::partial_sort(order, order + s.k, order + s.extent, [&](int64_t a, int64_t b) {
        const T &va = slice[a * s.inner], &vb = slice[b * s.inner];
        if (same(va, vb)) return a < b;
        return largest ? less(vb, va) : less(va, vb);
      });
      for (int64_t e = 0; e < s.k; ++e) {
        const int64_t at = (o * s.k + e) * s.inner + i;
        if (values) values[at] = slice[order[e] * s.inner];
        if (indices) indices[at] = order[e];
      }
    }
}

CallStatus run(const CallContext& context) noexcept {
  const StepDesc& step = *context.step;
  const Shape& shape = step.tensors[kX].shape;
  const size_t axis = axis_of(step, shape.size(), -1);
  const Slices slices{product(shape, 0, axis), shape[axis], product(shape, axis + 1, shape.size()),
                      some_output(step).shape[axis]};
  const bool largest = number(step.numbers, "largest", 1) != 0;
  with_type(step.tensors[kX].dtype, [&](auto type) { run_typed<decltype(type)>(context, slices, largest); });
  return {};
}

}  // namespace

const RuntimeCall kTopK = {"TopK", check, workspace, run};

}  // namespace tlm::runtime::calls
