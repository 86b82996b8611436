#include "tlm/ir/passes/layout_order.h"

#include <algorithm>

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
  const std::vector<int> usual = channels_last(to.size());
  if (!usual.empty() && same_strides(to, physical_strides(to, usual), *strides)) {
    return row_major_anyway(to, usual) ? std::vector<int>{} : usual;
  }
  std::vector<int> result;
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] > 1) result.push_back(static_cast<int>(d));
  }
  std::sort(result.begin(), result.end(),
            [&](int a, int b) { return (*strides)[static_cast<size_t>(a)] > (*strides)[static_cast<size_t>(b)]; });
  // Dimensions of extent 1 may lie anywhere: each behind the one before it.
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] > 1) continue;
    const auto before = d == 0 ? result.end() : std::find(result.begin(), result.end(), static_cast<int>(d) - 1);
    result.insert(before == result.end() ? result.begin() : before + 1, static_cast<int>(d));
  }
  if (!same_strides(to, physical_strides(to, result), *strides)) return {};
  return row_major_anyway(to, result) ? std::vector<int>{} : result;
}

bool row_major_anyway(const Shape& shape, const std::vector<int>& order) {
  return same_strides(shape, physical_strides(shape, order), row_major_strides(shape));
}

}  // namespace tlm::ir
