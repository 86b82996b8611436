#include "tlm/ir/onnx/tensor_proto.h"

#include <charconv>
#include <cstring>

#include "tlm/core/error.h"
#include "tlm/ir/graph/onnx_dtype.h"

namespace tlm::ir {

namespace {

[[noreturn]] void bad(const proto::TensorProto& t, const std::string& what) {
  throw Error(ErrorCode::kBadModel, what, "tensor '" + t.name() + "'");
}

[[noreturn]] void unsupported(const proto::TensorProto& t, const std::string& what) {
  throw Error(ErrorCode::kUnsupported, what, "tensor '" + t.name() + "'");
}

Shape read_shape(const proto::TensorProto& t) {
  Shape shape(t.dims().begin(), t.dims().end());
  if (shape.size() > 16)
    unsupported(t, "the tensor has " + std::to_string(shape.size()) + " dimensions; at most 16 are supported");
  try {
    element_count(shape);
  } catch (const Error& e) {
    bad(t, e.message());
  }
  return shape;
}

// Bytes of the whole tensor, checked.
uint64_t byte_count(const proto::TensorProto& t, DType type, const Shape& shape) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(element_count(shape)), dtype_size(type), &bytes))
    bad(t, "shape " + to_string(shape) + " is too large");
  return bytes;
}

Tensor make(DType type, Shape shape, const void* data, uint64_t bytes, std::shared_ptr<const void> owner) {
  const bool aligned = reinterpret_cast<uintptr_t>(data) % dtype_size(type) == 0;
  // Truth values are 0 or 1 from here on, whatever the file says; small tensors do not keep a large owner alive.
  if (aligned && type != DType::kBool && bytes > 256) return Tensor(type, std::move(shape), data, std::move(owner));
  Tensor copy(type, std::move(shape));
  std::byte* to = copy.mutable_data();
  if (bytes) std::memcpy(to, data, bytes);
  if (type == DType::kBool)
    for (uint64_t i = 0; i < bytes; ++i) to[i] = std::byte{to[i] != std::byte{0}};
  return copy;
}

uint64_t parse_number(const proto::TensorProto& t, const std::string& key, const std::string& text) {
  uint64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size()) bad(t, "external data: " + key + " is '" + text + "'");
  return v;
}

Tensor external(const proto::TensorProto& t, DType type, Shape shape, ExternalFiles& files) {
  std::string location;
  uint64_t offset = 0, needed = byte_count(t, type, shape), length = needed;
  for (const auto& entry : t.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      offset = parse_number(t, entry.key(), entry.value());
    else if (entry.key() == "length")
      length = parse_number(t, entry.key(), entry.value());
  }
  if (length != needed)
    bad(t,
        "external data has " + std::to_string(length) + " bytes; shape " + to_string(shape) + " needs " + std::to_string(needed));
  const auto file = files.open(location);
  if (offset > file->size() || needed > file->size() - offset)
    bad(t, "external data '" + location + "' has " + std::to_string(file->size()) + " bytes; bytes " + std::to_string(offset) +
               " to " + std::to_string(offset) + "+" + std::to_string(needed) + " are needed");
  return make(type, std::move(shape), file->data() + offset, needed, file);
}

// Elements from a field of the message, one by one.
template <typename T, typename Field>
Tensor typed(const proto::TensorProto& t, DType type, Shape shape, const Field& field, const char* field_name) {
  const int64_t count = element_count(shape);
  if (field.size() != count)
    bad(t, std::string(field_name) + " has " + std::to_string(field.size()) + " elements; shape " + to_string(shape) + " needs " +
               std::to_string(count));
  Tensor result(type, std::move(shape));
  auto* to = reinterpret_cast<T*>(result.mutable_data());
  for (int64_t i = 0; i < count; ++i) {
    const auto v = field[static_cast<int>(i)];
    if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(v)) {
      // 16-bit patterns are met both sign-extended and not.
      const auto wide = static_cast<int64_t>(v);
      const int64_t low = sizeof(T) == 2 ? -32768 : std::is_signed_v<T> ? -(int64_t{1} << (8 * sizeof(T) - 1)) : 0;
      const int64_t high = sizeof(T) == 2        ? 65535
                           : std::is_signed_v<T> ? (int64_t{1} << (8 * sizeof(T) - 1)) - 1
                                                 : (int64_t{1} << (8 * sizeof(T))) - 1;
      if (wide < low || wide > high)
        bad(t, std::string(field_name) + " has the value " + std::to_string(wide) + ", which is no " +
                   std::string(dtype_name(type)));
    }
    to[i] = static_cast<T>(v);
  }
  return result;
}

}  // namespace

Tensor take_tensor(proto::TensorProto& t, ExternalFiles& files) {
  const auto type = dtype_of_onnx(t.data_type());
  if (!type) unsupported(t, "element type " + onnx_dtype_name(t.data_type()) + " is not supported");
  if (t.has_segment()) unsupported(t, "a tensor in segments is not supported");
  Shape shape = read_shape(t);
  if (t.data_location() == proto::TensorProto::EXTERNAL) return external(t, *type, std::move(shape), files);
  if (t.has_raw_data()) {
    const uint64_t bytes = byte_count(t, *type, shape);
    if (t.raw_data().size() != bytes)
      bad(t, "raw_data has " + std::to_string(t.raw_data().size()) + " bytes; shape " + to_string(shape) + " needs " +
                 std::to_string(bytes));
    const std::shared_ptr<const std::string> owner(t.release_raw_data());
    return make(*type, std::move(shape), owner->data(), bytes, owner);
  }
  switch (*type) {
    case DType::kF32: return typed<float>(t, *type, std::move(shape), t.float_data(), "float_data");
    case DType::kF64: return typed<double>(t, *type, std::move(shape), t.double_data(), "double_data");
    case DType::kI64: return typed<int64_t>(t, *type, std::move(shape), t.int64_data(), "int64_data");
    case DType::kU64: return typed<uint64_t>(t, *type, std::move(shape), t.uint64_data(), "uint64_data");
    case DType::kU32: return typed<uint32_t>(t, *type, std::move(shape), t.uint64_data(), "uint64_data");
    case DType::kI32: return typed<int32_t>(t, *type, std::move(shape), t.int32_data(), "int32_data");
    case DType::kI16: return typed<int16_t>(t, *type, std::move(shape), t.int32_data(), "int32_data");
    case DType::kI8: return typed<int8_t>(t, *type, std::move(shape), t.int32_data(), "int32_data");
    case DType::kU8: return typed<uint8_t>(t, *type, std::move(shape), t.int32_data(), "int32_data");
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16: return typed<uint16_t>(t, *type, std::move(shape), t.int32_data(), "int32_data");
    case DType::kBool: {
      Tensor bytes = typed<uint8_t>(t, *type, std::move(shape), t.int32_data(), "int32_data");
      for (uint8_t& b : bytes.mutable_as<uint8_t>()) b = b != 0;
      return bytes;
    }
  }
  unsupported(t, "element type " + onnx_dtype_name(t.data_type()) + " is not supported");
}

}  // namespace tlm::ir
