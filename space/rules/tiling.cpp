// Cache tiles of spatial axes.
#include "tlm/space/rules/tiling.h"

#include <algorithm>
#include <cstdlib>

#include "tlm/space/rules/rule.h"
#include "tlm/space/rules/scale.h"

namespace tlm::space {

namespace {

constexpr int64_t kTransfer = 128;  // bytes that come together: a cache line and the neighbour that is fetched with it

}  // namespace

namespace {

// Along the contiguous dimension at least `transfer` bytes come together.
double distinct_elements(const Access& a, const std::vector<int64_t>& span, int64_t transfer) {
  if (a.covered) return 0;
  double elements = 1;
  for (size_t d = 0; d < a.reach.size(); ++d) {
    int64_t range = 1, points = 1;
    if (a.reach[d].empty()) {  // at most one element for each point of the axes in the index
      for (size_t i = 0; i < span.size() && range < a.shape[d]; ++i) range *= a.stride[i] == kIrregular ? span[i] : 1;
    } else {
      for (size_t i = 0; i < span.size(); ++i) {
        range += std::abs(a.reach[d][i]) * (span[i] - 1);
        points *= a.reach[d][i] != 0 ? span[i] : 1;
      }
    }
    if (!a.spread.empty() && a.spread[d] > 0) {
      range += a.spread[d];
      if (!a.reach[d].empty()) range = std::min(range, points * (a.spread[d] + 1));
    }
    range = std::min(range, a.shape[d]);
    if (static_cast<int>(d) == a.contiguous) range = std::min(std::max(range, transfer / a.element_bytes), a.shape[d]);
    elements *= static_cast<double>(range);
  }
  return elements;
}

}  // namespace

double footprint_bytes(const Access& a, const std::vector<int64_t>& span) {
  return distinct_elements(a, span, kTransfer) * static_cast<double>(a.element_bytes);
}

double operand_elements(const NestInfo& n, const std::vector<int64_t>& span) {
  double total = 0;
  for (const Access& a : n.loads)
    if (!a.epilogue && !a.index) total += distinct_elements(a, span, 0);
  return total;
}

bool tiling_helps(const NestInfo& n, const Target& t) {
  // Everything stays in cache anyway.
  if (footprint_bytes(n, n.extent) <= 0.5 * 1024 * t.l2_kb) return false;
  for (const Access& l : n.loads) {
    if (footprint_bytes(l, n.extent) <= 0.25 * 1024 * t.l1_kb) continue;
    for (int a = 0; a < n.spatial; ++a) {
      if (n.extent[a] == 1) continue;
      if (!l.depends(a)) return true;  // read again for each point of the axis
      for (const std::vector<int64_t>& reach : l.reach) {
        int movers = 0;
        for (size_t i = 0; i < reach.size(); ++i) movers += reach[i] != 0 && n.extent[i] > 1;
        if (!reach.empty() && reach[a] != 0 && movers > 1) return true;  // windows overlap
      }
      for (const Access& s : n.stores) {
        if ((s.stride[a] == 1) != (l.stride[a] == 1)) return true;  // lines of memory run across one another
      }
    }
  }
  return false;
}

double footprint_bytes(const NestInfo& n, const std::vector<int64_t>& span) {
  double total = 0;
  for (const Access& a : n.loads) total += footprint_bytes(a, span);
  for (const Access& a : n.stores) total += footprint_bytes(a, span);
  return total;
}

namespace {

std::vector<Choice> candidates(const Context& c, const Sketch& s, int axis) {
  std::vector<Choice> out = {{0}};
  const NestInfo& n = *s.info;
  if (c.target.device != DeviceKind::kCpu || axis >= n.spatial) return out;
  int loops = 0;  // a single loop gains nothing from being two
  for (int a = 0; a < n.spatial; ++a) loops += n.extent[a] > nest_plan(s).axes[a].tile;
  if (loops < 2 || !tiling_helps(n, c.target)) return out;
  const int64_t extent = n.extent[axis], tile = nest_plan(s).axes[axis].tile;
  std::vector<int64_t> sizes;
  for (int64_t parts : {2, 3, 4, 6, 8, 12, 16, 32}) sizes.push_back(round_up(ceil_div(extent, parts), tile));
  for (int64_t multiple : {1, 2, 4}) sizes.push_back(multiple * tile);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (int64_t size : sizes) {
    if (size > 1 && size < extent) out.push_back({size});
  }
  return out;
}

}  // namespace

Rule tile_rule() {
  return {DecisionKind::kTile, [](const Context&, const Sketch& s) { return s.info->spatial; }, candidates,
          [](const Context&, Sketch& s, int axis, const Choice& c) { nest_plan(s).axes[axis].cache = c[0]; },
          [](const Context&, const Sketch& s, int axis) {
            const int64_t tile = nest_plan(s).axes[axis].tile;
            return std::vector<int64_t>{tile, ceil_div(s.info->extent[axis], tile)};
          },
          // What a cache tile touches; of axes that are asked for later, all.
          [](const Context&, const Sketch& s, int axis, const Choice& choice) {
            std::vector<int64_t> span = s.info->extent;
            for (int a = 0; a < s.info->spatial; ++a) {
              const int64_t cache = a == axis ? choice[0] : nest_plan(s).axes[a].cache;
              if (cache > 0) span[a] = std::min(span[a], cache);
            }
            return std::vector<int64_t>{kilobytes(footprint_bytes(*s.info, span))};
          }};
}

}  // namespace tlm::space
