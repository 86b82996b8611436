// What ScatterElements and ScatterND share: how an update joins the element that it meets.
#pragma once

#include "tlm/core/runtime/calls/call_support.h"

namespace tlm::runtime::calls {

enum class Reduction : uint8_t { kNone, kAdd, kMul, kMin, kMax };

constexpr size_t kData = 0, kIndices = 1, kUpdates = 2, kResult = 3;

inline Reduction reduction_of(const StepDesc& step) {
  const std::string_view name = text(step, "reduction", "none");
  if (name == "add") return Reduction::kAdd;
  if (name == "mul") return Reduction::kMul;
  if (name == "min") return Reduction::kMin;
  if (name == "max") return Reduction::kMax;
  return Reduction::kNone;
}

// Types and the reduction; shapes are the operator's own. Throws Error(kBadModel), Error(kUnsupported).
inline void check_scatter(const StepDesc& step) {
  require(step.call_inputs == kResult && step.tensors.size() == kResult + 1, step, "wants data, indices, updates and one output");
  for (const TensorDesc& t : step.tensors) require(t.present, step, "all its tensors are needed");
  const TensorDesc &data = step.tensors[kData], &result = step.tensors[kResult];
  require(is_index_type(step.tensors[kIndices].dtype), step, "indices are neither i32 nor i64");
  require(step.tensors[kUpdates].dtype == data.dtype && result.dtype == data.dtype, step,
          "data, updates and output differ in type");
  require(result.shape == data.shape, step, "output " + to_string(result.shape) + " of data " + to_string(data.shape));
  const std::string name(text(step, "reduction", "none"));
  const Reduction reduction = reduction_of(step);
  require(reduction != Reduction::kNone || name == "none", step, "unknown reduction '" + name + "'");
  if (data.dtype == DType::kBool && reduction != Reduction::kNone)
    throw Error(ErrorCode::kUnsupported, step.call + ": reduction '" + name + "' of bool");
}

// The element after an update. Integers wrap; NaN wins over any number.
template <Reduction kReduction, typename T>
T combine(const T& old_value, const T& update) {
  if constexpr (kReduction == Reduction::kNone || std::is_same_v<T, Bool>) {
    return update;
  } else {
    using C = Compute<T>;
    const C a = load(old_value), b = load(update);
    if constexpr (kReduction == Reduction::kAdd || kReduction == Reduction::kMul) {
      constexpr bool kSum = kReduction == Reduction::kAdd;
      if constexpr (std::is_floating_point_v<C>) {
        return store<T>(kSum ? a + b : a * b);
      } else {
        const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);  // wraps
        return store<T>(static_cast<C>(kSum ? x + y : x * y));
      }
    } else {
      if constexpr (std::is_floating_point_v<C>) {
        if (std::isnan(a)) return old_value;
        if (std::isnan(b)) return update;
      }
      return (kReduction == Reduction::kMin ? b < a : b > a) ? update : old_value;
    }
  }
}

// Calls f.template operator()<T, R>() with element type and reduction of the step.
template <typename F>
CallStatus with_scatter(const StepDesc& step, F&& f) {
  return with_type(step.tensors[kData].dtype, [&](auto type) -> CallStatus {
    using T = decltype(type);
    switch (reduction_of(step)) {
      case Reduction::kAdd: return f.template operator()<T, Reduction::kAdd>();
      case Reduction::kMul: return f.template operator()<T, Reduction::kMul>();
      case Reduction::kMin: return f.template operator()<T, Reduction::kMin>();
      case Reduction::kMax: return f.template operator()<T, Reduction::kMax>();
      default: return f.template operator()<T, Reduction::kNone>();
    }
  });
}

// The output starts as the data, unless it is the data.
inline void copy_data(const CallContext& context) {
  const TensorDesc& data = context.step->tensors[kData];
  const size_t bytes = static_cast<size_t>(product(data.shape)) * dtype_size(data.dtype);
  if (context.buffers[kResult] != context.buffers[kData] && bytes)
    std::memcpy(context.buffers[kResult], context.buffers[kData], bytes);
}

inline uint64_t no_workspace(std::span<const TensorDesc>, const CallNumbers&) { return 0; }

}  // namespace tlm::runtime::calls
