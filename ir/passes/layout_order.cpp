#include "tlm/ir/passes/layout_order.h"

#include <algorithm>
#include <numeric>

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/partition/view_math.h"

namespace tlm::ir {

std::vector<int> channels_last(size_t rank) {
  if (rank < 3 || rank > 5) return {};
  std::vector<int> order = {0};
  for (size_t d = 2; d < rank; ++d) order.push_back(static_cast<int>(d));
  order.push_back(1);
  return order;
}

std::vector<int> reshaped_order(const Shape& from, const std::vector<int>& order, const Shape& to) {
  if (element_count(from) != element_count(to) || element_count(from) == 0) return {};
  const auto strides = reshape_strides(from, physical_strides(from, order), to);
  if (!strides) return {};
  std::vector<int> result(to.size());
  std::iota(result.begin(), result.end(), 0);
  // Dimensions of extent 1 have no place of their own: they keep to the left of what follows them.
  std::stable_sort(result.begin(), result.end(), [&](int a, int b) {
    return (*strides)[static_cast<size_t>(a)] > (*strides)[static_cast<size_t>(b)];
  });
  if (!same_strides(to, physical_strides(to, result), *strides)) return {};
  return row_major_anyway(to, result) ? std::vector<int>{} : result;
}

bool row_major_anyway(const Shape& shape, const std::vector<int>& order) {
  return same_strides(shape, physical_strides(shape, order), row_major_strides(shape));
}

}  // namespace tlm::ir
