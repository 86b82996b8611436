// A dense row-major tensor in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tlm/core/dtype.h"
#include "tlm/core/error.h"
#include "tlm/core/shape.h"

namespace tlm {

// Copies share storage; who writes must hold the only copy (mutable_* checks it).
class Tensor {
 public:
  Tensor() = default;                               // f32, shape [0]
  Tensor(DType dtype, Shape shape);                 // zero-filled, 64-byte aligned
  // Borrows `data`; `owner` keeps it alive (a mapped file, say). Need not be aligned beyond the element size.
  Tensor(DType dtype, Shape shape, const void* data, std::shared_ptr<const void> owner);

  static Tensor scalar_i64(int64_t value);
  static Tensor scalar_f32(float value);
  static Tensor vector_i64(std::span<const int64_t> values);  // shape [n]
  // Fills with `T` values converted to the element type.
  template <typename T>
  static Tensor from(DType dtype, Shape shape, std::span<const T> values);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return size_; }            // elements
  size_t bytes() const { return static_cast<size_t>(size_) * dtype_size(dtype_); }
  const std::byte* data() const { return data_; }
  std::byte* mutable_data();                        // TLM_CHECKs sole ownership
  template <typename T>
  std::span<const T> as() const;                    // TLM_CHECKs that T is the element type's C++ type (f16/bf16: uint16_t, bool: uint8_t)
  template <typename T>
  std::span<T> mutable_as();

  // Any element type read as a number.
  double at_f64(int64_t flat) const;
  int64_t at_i64(int64_t flat) const;
  std::vector<int64_t> to_i64() const;              // all elements
  void set_f64(int64_t flat, double value);         // converts to the element type (saturating for integers)
  void set_i64(int64_t flat, int64_t value);        // narrower integers keep the low bits, as a cast in C does; bool: value != 0

  // The same elements under another shape of equal size (shares storage).
  Tensor reshaped(Shape shape) const;

 private:
  DType dtype_ = DType::kF32;
  Shape shape_ = {0};
  int64_t size_ = 0;
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> owner_;
  bool writable_ = false;
};

// Is T the C++ type in which elements of `t` are stored?
template <typename T>
constexpr bool stored_as(DType t) {
  switch (t) {
    case DType::kF32: return std::is_same_v<T, float>;
    case DType::kF64: return std::is_same_v<T, double>;
    case DType::kI8: return std::is_same_v<T, int8_t>;
    case DType::kI16: return std::is_same_v<T, int16_t>;
    case DType::kI32: return std::is_same_v<T, int32_t>;
    case DType::kI64: return std::is_same_v<T, int64_t>;
    case DType::kU8:
    case DType::kBool: return std::is_same_v<T, uint8_t>;
    case DType::kF16:
    case DType::kBF16:
    case DType::kU16: return std::is_same_v<T, uint16_t>;
    case DType::kU32: return std::is_same_v<T, uint32_t>;
    case DType::kU64: return std::is_same_v<T, uint64_t>;
  }
  return false;
}

template <typename T>
std::span<const T> Tensor::as() const {
  TLM_CHECK(stored_as<T>(dtype_)) << "the tensor holds " << dtype_name(dtype_);
  return {reinterpret_cast<const T*>(data_), static_cast<size_t>(size_)};
}

template <typename T>
std::span<T> Tensor::mutable_as() {
  TLM_CHECK(stored_as<T>(dtype_)) << "the tensor holds " << dtype_name(dtype_);
  return {reinterpret_cast<T*>(mutable_data()), static_cast<size_t>(size_)};
}

template <typename T>
Tensor Tensor::from(DType dtype, Shape shape, std::span<const T> values) {
  static_assert(std::is_arithmetic_v<T>);
  Tensor result(dtype, std::move(shape));
  TLM_CHECK(static_cast<size_t>(result.size()) == values.size()) << to_string(result.shape()) << " from " << values.size() << " values";
  for (int64_t i = 0; i < result.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      result.set_f64(i, static_cast<double>(values[static_cast<size_t>(i)]));
    } else {
      result.set_i64(i, static_cast<int64_t>(values[static_cast<size_t>(i)]));
    }
  }
  return result;
}

}  // namespace tlm
