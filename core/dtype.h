// Element types of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tlm {

// The numbers are part of the package format: append only.
enum class DType : uint8_t {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kBF16 = 3,
  kI8 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kU8 = 8,
  kU16 = 9,
  kU32 = 10,
  kU64 = 11,
  kBool = 12,  // one byte, 0 or 1
};

size_t dtype_size(DType t);                             // bytes of one element
std::string_view dtype_name(DType t);                   // "f32", "i64", "bool", …
std::optional<DType> parse_dtype(std::string_view name);
bool is_float(DType t);                                 // f16, bf16, f32, f64
bool is_signed_int(DType t);
bool is_integer(DType t);                               // signed or unsigned, not bool

// IEEE 754 binary16 and bfloat16, round to nearest even.
float f16_to_f32(uint16_t bits);
uint16_t f32_to_f16(float value);
float bf16_to_f32(uint16_t bits);
uint16_t f32_to_bf16(float value);

}  // namespace tlm
