#include "tlm/core/tensor.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace tlm {
namespace {

constexpr size_t kAlignment = 64;

// Zero-filled memory. calloc and not memset: the pages of a large tensor are taken only when they are touched.
std::shared_ptr<std::byte> allocate_zeroed(const Shape& shape, size_t bytes) {
  constexpr size_t kAddressSpace = size_t{1} << 47;  // of a process on x86-64
  void* base = bytes >= kAddressSpace ? nullptr : std::calloc(bytes + kAlignment, 1);
  if (!base)
    throw Error(ErrorCode::kEnvironment,
                "out of memory: a tensor of shape " + to_string(shape) + " needs " + std::to_string(bytes) + " bytes");
  const auto address = reinterpret_cast<uintptr_t>(base);
  auto* aligned = reinterpret_cast<std::byte*>((address + kAlignment - 1) / kAlignment * kAlignment);
  return {aligned, [base](std::byte*) { std::free(base); }};
}

template <typename T>
T load(const std::byte* data, int64_t flat) {
  T value;
  std::memcpy(&value, data + static_cast<size_t>(flat) * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* data, int64_t flat, T value) {
  std::memcpy(data + static_cast<size_t>(flat) * sizeof(T), &value, sizeof(T));
}

// NaN becomes 0; what lies outside goes to the nearest bound; otherwise truncates towards zero.
template <typename T>
T saturate(double value) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<T>(value);
}

// A double as a float with the last bit sticky ("round to odd"), so that a second rounding to a half-width type is exact.
float to_odd_f32(double value) {
  const auto nearest = static_cast<float>(value);
  if (std::isnan(nearest) || std::isinf(nearest) || static_cast<double>(nearest) == value) return nearest;
  const uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (bits & 1) return nearest;
  const bool above = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return std::bit_cast<float>(above ? bits - 1 : bits + 1);
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), size_(element_count(shape_)), writable_(true) {
  if (size_ == 0) return;
  if (size_ > (int64_t{1} << 62) / static_cast<int64_t>(dtype_size(dtype)))
    throw Error(ErrorCode::kBadModel, "tensor of shape " + to_string(shape_) + " exceeds 2^62 bytes");
  std::shared_ptr<std::byte> memory = allocate_zeroed(shape_, bytes());
  data_ = memory.get();
  owner_ = std::move(memory);
}

Tensor::Tensor(DType dtype, Shape shape, const void* data, std::shared_ptr<const void> owner)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(element_count(shape_)),
      data_(static_cast<const std::byte*>(data)),
      owner_(std::move(owner)) {
  TLM_CHECK(size_ == 0 || data_ != nullptr) << to_string(shape_);
}

Tensor Tensor::scalar_i64(int64_t value) {
  Tensor t(DType::kI64, {});
  t.set_i64(0, value);
  return t;
}

Tensor Tensor::scalar_f32(float value) {
  Tensor t(DType::kF32, {});
  t.mutable_as<float>()[0] = value;
  return t;
}

Tensor Tensor::vector_i64(std::span<const int64_t> values) {
  return from<int64_t>(DType::kI64, {static_cast<int64_t>(values.size())}, values);
}

std::byte* Tensor::mutable_data() {
  if (size_ == 0) return nullptr;
  TLM_CHECK(writable_) << "a tensor that borrows its data is read-only";
  TLM_CHECK(owner_.use_count() == 1) << "the data of this tensor is shared by " << owner_.use_count() << " tensors";
  return const_cast<std::byte*>(data_);
}

double Tensor::at_f64(int64_t flat) const {
  TLM_CHECK(flat >= 0 && flat < size_) << "index " << flat << " of " << size_;
  switch (dtype_) {
    case DType::kF32: return load<float>(data_, flat);
    case DType::kF64: return load<double>(data_, flat);
    case DType::kF16: return f16_to_f32(load<uint16_t>(data_, flat));
    case DType::kBF16: return bf16_to_f32(load<uint16_t>(data_, flat));
    case DType::kU64: return static_cast<double>(load<uint64_t>(data_, flat));
    default: return static_cast<double>(at_i64(flat));
  }
}

int64_t Tensor::at_i64(int64_t flat) const {
  TLM_CHECK(flat >= 0 && flat < size_) << "index " << flat << " of " << size_;
  switch (dtype_) {
    case DType::kI8: return load<int8_t>(data_, flat);
    case DType::kI16: return load<int16_t>(data_, flat);
    case DType::kI32: return load<int32_t>(data_, flat);
    case DType::kI64: return load<int64_t>(data_, flat);
    case DType::kU8: return load<uint8_t>(data_, flat);
    case DType::kU16: return load<uint16_t>(data_, flat);
    case DType::kU32: return load<uint32_t>(data_, flat);
    case DType::kU64: return static_cast<int64_t>(load<uint64_t>(data_, flat));
    case DType::kBool: return load<uint8_t>(data_, flat) != 0;
    default: return saturate<int64_t>(at_f64(flat));
  }
}

std::vector<int64_t> Tensor::to_i64() const {
  std::vector<int64_t> values(static_cast<size_t>(size_));
  for (int64_t i = 0; i < size_; ++i) values[static_cast<size_t>(i)] = at_i64(i);
  return values;
}

void Tensor::set_f64(int64_t flat, double value) {
  TLM_CHECK(flat >= 0 && flat < size_) << "index " << flat << " of " << size_;
  std::byte* data = mutable_data();
  switch (dtype_) {
    case DType::kF32: return store(data, flat, static_cast<float>(value));
    case DType::kF64: return store(data, flat, value);
    case DType::kF16: return store(data, flat, f32_to_f16(to_odd_f32(value)));
    case DType::kBF16: return store(data, flat, f32_to_bf16(to_odd_f32(value)));
    case DType::kI8: return store(data, flat, saturate<int8_t>(value));
    case DType::kI16: return store(data, flat, saturate<int16_t>(value));
    case DType::kI32: return store(data, flat, saturate<int32_t>(value));
    case DType::kI64: return store(data, flat, saturate<int64_t>(value));
    case DType::kU8: return store(data, flat, saturate<uint8_t>(value));
    case DType::kU16: return store(data, flat, saturate<uint16_t>(value));
    case DType::kU32: return store(data, flat, saturate<uint32_t>(value));
    case DType::kU64: return store(data, flat, saturate<uint64_t>(value));
    case DType::kBool: return store(data, flat, static_cast<uint8_t>(value != 0));
  }
}

void Tensor::set_i64(int64_t flat, int64_t value) {
  TLM_CHECK(flat >= 0 && flat < size_) << "index " << flat << " of " << size_;
  std::byte* data = mutable_data();
  switch (dtype_size(dtype_)) {
    case 1: return store(data, flat, dtype_ == DType::kBool ? static_cast<uint8_t>(value != 0) : static_cast<uint8_t>(value));
    case 2:
      if (is_float(dtype_)) break;
      return store(data, flat, static_cast<uint16_t>(value));
    case 4:
      if (is_float(dtype_)) return store(data, flat, static_cast<float>(value));
      return store(data, flat, static_cast<uint32_t>(value));
    case 8:
      if (is_float(dtype_)) break;
      return store(data, flat, value);
  }
  set_f64(flat, static_cast<double>(value));
}

Tensor Tensor::reshaped(Shape shape) const {
  TLM_CHECK(element_count(shape) == size_) << to_string(shape_) << " to " << to_string(shape);
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

}  // namespace tlm
