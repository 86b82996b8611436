#include "tlm/space/rules/traffic.h"

#include <algorithm>
#include <numeric>

#include "tlm/space/rules/tiling.h"

namespace tlm::space {

Traffic::Traffic(const NestInfo& n, const NestPlan& plan) : n_(n) {
  std::vector<int64_t> span = n.extent;  // points of each axis inside the loops so far
  auto level = [&] {
    std::vector<double>& bytes = bytes_.emplace_back();
    for (const Access& a : n.loads) bytes.push_back(footprint_bytes(a, span));
    for (const Access& a : n.stores) bytes.push_back(footprint_bytes(a, span));
  };
  auto loop = [&](int a, int64_t step) {
    const int64_t trips = ceil_div(span[a], step);
    if (trips == 1) return;
    loops_.push_back({a, static_cast<double>(trips)});
    span[a] = std::min(step, span[a]);
    level();
  };
  level();
  for (int a : plan.order) loop(a, plan.axes[a].cache);
  for (int a : plan.inner_order) loop(a, plan.axes[a].tile);
}

double Traffic::into(double capacity) const {
  auto total = [&](size_t l) { return std::accumulate(bytes_[l].begin(), bytes_[l].end(), 0.0); };
  size_t level = 0;  // the outermost level whose data fits
  while (level < loops_.size() && total(level) > capacity) ++level;
  const bool fits = total(level) <= capacity;
  double moved = 0;
  for (size_t i = 0; i < bytes_[level].size(); ++i) {
    const bool store = i >= n_.loads.size();
    const Access& a = store ? n_.stores[i - n_.loads.size()] : n_.loads[i];
    double times = store ? 2 : 1;  // a store is fetched and written back
    bool resident = fits;          // stays while the loops directly around do not move it
    for (size_t l = level; l-- > 0;) {
      if (resident && !a.depends(loops_[l].axis)) continue;
      times *= loops_[l].trips;
      resident = false;
    }
    moved += times * bytes_[level][i];
  }
  return moved;
}

}  // namespace tlm::space
