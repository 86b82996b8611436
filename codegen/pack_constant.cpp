#include "tlm/codegen/pack_constant.h"

#include <cstring>

#include "tlm/core/error.h"

namespace tlm::codegen {
namespace {

// Copies the sub-block of physical dimensions [d, dims.size()). `index` is the logical index so far.
void pack_from(const Tensor& t, const std::vector<ir::PackedDim>& dims, const std::vector<int64_t>& strides, size_t d,
               std::vector<int64_t>& index, int64_t source, std::byte*& out, size_t element) {
  const ir::PackedDim& p = dims[d];
  const auto dim = static_cast<size_t>(p.dim);
  const int64_t begin = index[dim];
  if (d + 1 == dims.size()) {  // the innermost run
    bool inside = true;
    for (size_t i = 0; i < index.size(); ++i) inside = inside && index[i] < t.shape()[i];
    if (inside) {
      const int64_t step = p.step * strides[dim];
      const int64_t left = (t.shape()[dim] - begin + p.step - 1) / p.step;
      const int64_t n = std::min(p.extent, left);
      const std::byte* from = t.data() + static_cast<size_t>(source) * element;
      if (step == 1) {
        std::memcpy(out, from, static_cast<size_t>(n) * element);
      } else {
        for (int64_t i = 0; i < n; ++i) std::memcpy(out + static_cast<size_t>(i) * element, from + static_cast<size_t>(i * step) * element, element);
      }
    }
    out += static_cast<size_t>(p.extent) * element;
    return;
  }
  for (int64_t i = 0; i < p.extent; ++i) {
    index[dim] = begin + i * p.step;
    pack_from(t, dims, strides, d + 1, index, source + i * p.step * strides[dim], out, element);
  }
  index[dim] = begin;
}

}  // namespace

std::vector<std::byte> pack_constant(const Tensor& t, const std::vector<ir::PackedDim>& dims) {
  if (dims.empty()) return std::vector<std::byte>(t.data(), t.data() + t.bytes());
  int64_t elements = 1;
  for (const ir::PackedDim& p : dims) {
    TLM_CHECK(p.dim >= 0 && static_cast<size_t>(p.dim) < t.shape().size() && p.extent > 0 && p.step > 0);
    elements *= p.extent;
  }
  const size_t element = dtype_size(t.dtype());
  std::vector<std::byte> bytes(static_cast<size_t>(elements) * element);
  std::vector<int64_t> index(t.shape().size(), 0);
  std::byte* out = bytes.data();
  pack_from(t, dims, row_major_strides(t.shape()), 0, index, 0, out, element);
  return bytes;
}

}  // namespace tlm::codegen
