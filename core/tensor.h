// A dense row-major tensor in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tlm/core/dtype.h"
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
  void set_i64(int64_t flat, int64_t value);

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

}  // namespace tlm
