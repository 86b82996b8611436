#include "tlm/core/shape.h"

#include "tlm/core/error.h"

namespace tlm {

int64_t element_count(const Shape& shape) {
  constexpr int64_t kLimit = int64_t{1} << 62;
  int64_t count = 1;  // of the extents other than 0, so that [0, 2^62, 2^62] is refused whatever the order
  bool empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0)
      throw Error(ErrorCode::kBadModel, "negative extent " + std::to_string(extent) + " in shape " + to_string(shape));
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (count > kLimit / extent) throw Error(ErrorCode::kBadModel, "shape " + to_string(shape) + " has more than 2^62 elements");
    count *= extent;
  }
  return empty ? 0 : count;
}

std::vector<int64_t> row_major_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d) text += ',';
    text += std::to_string(shape[d]);
  }
  return text + "]";
}

}  // namespace tlm
