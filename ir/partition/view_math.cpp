#include "tlm/ir/partition/view_math.h"

#include <algorithm>
#include <set>

#include "tlm/core/error.h"

namespace tlm::ir {

Strided coalesce(const Shape& shape, const std::vector<int64_t>& strides) {
  TLM_CHECK(shape.size() == strides.size()) << to_string(shape);
  Strided result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (!result.shape.empty() && result.strides.back() == strides[d] * shape[d]) {
      result.shape.back() *= shape[d];
      result.strides.back() = strides[d];
    } else {
      result.shape.push_back(shape[d]);
      result.strides.push_back(strides[d]);
    }
  }
  return result;
}

std::optional<std::vector<int64_t>> reshape_strides(const Shape& from, const std::vector<int64_t>& strides, const Shape& to) {
  TLM_CHECK(element_count(from) == element_count(to)) << to_string(from) << " and " << to_string(to);
  if (element_count(from) == 0) return row_major_strides(to);
  const Strided blocks = coalesce(from, strides);
  std::vector<int64_t> result(to.size(), 1);
  // From the innermost dimension outwards, each dimension of `to` takes a factor of the current block.
  size_t block = blocks.shape.size();
  int64_t left = 1, step = 1;  // what is left of the block, and the stride of its next factor
  for (size_t d = to.size(); d-- > 0;) {
    if (to[d] == 1) {
      result[d] = d + 1 < to.size() ? result[d + 1] * to[d + 1] : 1;
      continue;
    }
    if (left == 1) {
      --block;
      left = blocks.shape[block];
      step = blocks.strides[block];
    }
    if (left % to[d] != 0) return std::nullopt;
    result[d] = step;
    step *= to[d];
    left /= to[d];
  }
  return result;
}

std::optional<Shape> common_refinement(const Shape& a, const Shape& b) {
  TLM_CHECK(element_count(a) == element_count(b)) << to_string(a) << " and " << to_string(b);
  if (element_count(a) == 0) return std::nullopt;
  std::set<int64_t> steps = {1};  // row-major strides at which a dimension of either begins
  for (const Shape* shape : {&a, &b}) {
    int64_t product = 1;
    for (size_t d = shape->size(); d-- > 0;) steps.insert(product *= (*shape)[d]);
  }
  Shape result;
  int64_t previous = 1;
  for (int64_t step : steps) {
    if (step % previous != 0) return std::nullopt;
    if (step != 1) result.push_back(step / previous);
    previous = step;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

bool same_strides(const Shape& shape, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1 && a[d] != b[d]) return false;
  }
  return true;
}

}  // namespace tlm::ir
