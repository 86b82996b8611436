#include "tlm/space/physical_layout.h"

#include <algorithm>

namespace tlm::space {
namespace {

constexpr int64_t kLine = 64, kAliased = 2048;  // bytes

}  // namespace

std::vector<int64_t> physical_strides(const ir::TensorDecl& t) {
  std::vector<int64_t> strides =
      t.role == ir::TensorRole::kConstant || t.strides.size() != t.shape.size() ? row_major_strides(t.shape) : t.strides;
  if (t.role != ir::TensorRole::kInternal) return strides;
  int64_t row = 1;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] == 1 && t.shape[d] > row) row = t.shape[d];
  }
  const int64_t bytes = static_cast<int64_t>(dtype_size(t.dtype));
  if (row * bytes % kAliased != 0) return strides;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] > 1 && strides[d] % row != 0) return strides;  // no dense order of dimensions
  }
  for (int64_t& s : strides) {
    if (s > 1) s = s / row * (row + kLine / bytes);
  }
  return strides;
}

int64_t physical_elements(const ir::TensorDecl& t) {
  if (t.role != ir::TensorRole::kInternal) return t.buffer_elements;
  const std::vector<int64_t> strides = physical_strides(t);
  int64_t elements = element_count(t.shape);
  for (size_t d = 0; d < strides.size(); ++d) elements = std::max(elements, strides[d] * t.shape[d]);
  return elements;
}

}  // namespace tlm::space
