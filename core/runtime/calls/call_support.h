// What the runtime calls share: element types as C++ types, attributes, checks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "tlm/core/error.h"
#include "tlm/core/runtime/runtime_calls.h"

namespace tlm::runtime::calls {

constexpr size_t kMaxRank = 64;  // of a manifest's shapes

// Two-byte floats as types of their own.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Bool {
  uint8_t bits;
};

// The type in which elements of storage type T are computed with.
template <typename T>
struct ComputeOf {
  using type = T;
};
template <>
struct ComputeOf<Half> {
  using type = float;
};
template <>
struct ComputeOf<BFloat> {
  using type = float;
};
template <>
struct ComputeOf<Bool> {
  using type = uint8_t;
};
template <typename T>
using Compute = typename ComputeOf<T>::type;

template <typename T>
Compute<T> load(const T& v) {
  if constexpr (std::is_same_v<T, Half>)
    return f16_to_f32(v.bits);
  else if constexpr (std::is_same_v<T, BFloat>)
    return bf16_to_f32(v.bits);
  else if constexpr (std::is_same_v<T, Bool>)
    return v.bits != 0;
  else
    return v;
}

template <typename T>
T store(Compute<T> v) {
  if constexpr (std::is_same_v<T, Half>)
    return {f32_to_f16(v)};
  else if constexpr (std::is_same_v<T, BFloat>)
    return {f32_to_bf16(v)};
  else if constexpr (std::is_same_v<T, Bool>)
    return {v};
  else
    return v;
}

// Calls f(T{}) with the C++ type of `dtype`.
template <typename F>
auto with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kF32: return f(float{});
    case DType::kF64: return f(double{});
    case DType::kF16: return f(Half{});
    case DType::kBF16: return f(BFloat{});
    case DType::kI8: return f(int8_t{});
    case DType::kI16: return f(int16_t{});
    case DType::kI32: return f(int32_t{});
    case DType::kI64: return f(int64_t{});
    case DType::kU8: return f(uint8_t{});
    case DType::kU16: return f(uint16_t{});
    case DType::kU32: return f(uint32_t{});
    case DType::kU64: return f(uint64_t{});
    default: return f(Bool{});
  }
}

// Attributes, found without allocation.
inline double number(const CallNumbers& numbers, std::string_view name, double otherwise) {
  for (const auto& [key, values] : numbers)
    if (key == name && !values.empty()) return values[0];
  return otherwise;
}
inline std::string_view text(const StepDesc& step, std::string_view name, std::string_view otherwise) {
  for (const auto& [key, value] : step.strings)
    if (key == name) return value;
  return otherwise;
}

inline void require(bool ok, const StepDesc& step, const std::string& what) {
  if (!ok) throw Error(ErrorCode::kBadModel, step.call + ": " + what);
}
// Tensor `i` of the call, or null: not present.
inline const TensorDesc* tensor(std::span<const TensorDesc> tensors, size_t i) {
  return i < tensors.size() && tensors[i].present ? &tensors[i] : nullptr;
}

inline int64_t product(const Shape& shape, size_t begin, size_t end) {
  int64_t n = 1;
  for (size_t i = begin; i < end; ++i) n *= shape[i];
  return n;
}
inline int64_t product(const Shape& shape) { return product(shape, 0, shape.size()); }

// The attribute `axis` as a non-negative number. Throws Error(kBadModel).
size_t check_axis(const StepDesc& step, int64_t rank, double otherwise);
inline size_t axis_of(const StepDesc& step, size_t rank, double otherwise) {
  const double axis = number(step.numbers, "axis", otherwise);
  return static_cast<size_t>(axis < 0 ? axis + static_cast<double>(rank) : axis);
}

// An index tensor: i32 or i64.
inline bool is_index_type(DType t) { return t == DType::kI32 || t == DType::kI64; }
inline int64_t index_at(const void* data, DType type, int64_t i) {
  return type == DType::kI32 ? static_cast<const int32_t*>(data)[i] : static_cast<const int64_t*>(data)[i];
}

extern const RuntimeCall kTopK, kScatterElements, kScatterND, kLstm, kGru, kRnn;

}  // namespace tlm::runtime::calls
