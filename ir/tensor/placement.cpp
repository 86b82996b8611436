#include "tlm/ir/tensor/placement.h"

#include <cstring>

#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

void check(const TensorDecl& d) {
  TLM_CHECK(d.strides.size() == d.shape.size()) << d.name << ": " << d.strides.size() << " strides for " << to_string(d.shape);
  if (element_count(d.shape) == 0) return;
  int64_t low = d.offset, high = d.offset;
  for (size_t i = 0; i < d.shape.size(); ++i) (d.strides[i] < 0 ? low : high) += (d.shape[i] - 1) * d.strides[i];
  TLM_CHECK(low >= 0 && high < d.buffer_elements)
      << d.name << ": addresses " << low << " to " << high << " in a buffer of " << d.buffer_elements << " elements";
}

// Calls f(flat position, address) along the last dimension: f(first position, first address, count, stride).
template <typename F>
void for_each_row(const TensorDecl& d, F f) {
  const int64_t total = element_count(d.shape);
  if (total == 0) return;
  const int rank = static_cast<int>(d.shape.size());
  const int64_t row = rank ? d.shape.back() : 1, stride = rank ? d.strides.back() : 1;
  std::vector<int64_t> index(d.shape.size(), 0);
  int64_t address = d.offset;
  for (int64_t position = 0; position < total; position += row) {
    f(position, address, row, stride);
    for (int i = rank - 2; i >= 0; --i) {
      address += d.strides[i];
      if (++index[i] < d.shape[i]) break;
      address -= d.strides[i] * d.shape[i];
      index[i] = 0;
    }
  }
}

template <typename T>
void copy_strided(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
}

void copy_row(size_t size, std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t n) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, size * static_cast<size_t>(n));
    return;
  }
  const auto copy = [&]<typename T>(T) {
    copy_strided(reinterpret_cast<T*>(to), to_stride, reinterpret_cast<const T*>(from), from_stride, n);
  };
  switch (size) {
    case 1: copy(uint8_t{}); break;
    case 2: copy(uint16_t{}); break;
    case 4: copy(uint32_t{}); break;
    default: copy(uint64_t{}); break;
  }
}

}  // namespace

void place_into(const TensorDecl& decl, const Tensor& logical, std::byte* buffer) {
  TLM_CHECK(logical.dtype() == decl.dtype && logical.shape() == decl.shape)
      << decl.name << " is " << dtype_name(decl.dtype) << to_string(decl.shape) << ", not " << dtype_name(logical.dtype())
      << to_string(logical.shape());
  check(decl);
  const size_t size = dtype_size(decl.dtype);
  for_each_row(decl, [&](int64_t position, int64_t address, int64_t n, int64_t stride) {
    copy_row(size, buffer + address * static_cast<int64_t>(size), stride, logical.data() + position * static_cast<int64_t>(size),
             1, n);
  });
}

std::vector<std::byte> place(const TensorDecl& decl, const Tensor& logical, std::byte fill) {
  std::vector<std::byte> buffer(static_cast<size_t>(decl.buffer_elements) * dtype_size(decl.dtype), fill);
  place_into(decl, logical, buffer.data());
  return buffer;
}

Tensor gather(const TensorDecl& decl, const std::byte* buffer) {
  check(decl);
  Tensor t(decl.dtype, decl.shape);
  std::byte* to = t.mutable_data();
  const auto size = static_cast<int64_t>(dtype_size(decl.dtype));
  for_each_row(decl, [&](int64_t position, int64_t address, int64_t n, int64_t stride) {
    copy_row(static_cast<size_t>(size), to + position * size, 1, buffer + address * size, stride, n);
  });
  return t;
}

}  // namespace tlm::ir
