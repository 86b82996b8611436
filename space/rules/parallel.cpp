// Which outer loops are shared out over cores.
#include <algorithm>
#include <cmath>

#include "tlm/space/rules/parallel.h"
#include "tlm/space/rules/rule.h"
#include "tlm/space/rules/scale.h"

namespace tlm::space {

std::vector<int64_t> shareable_loops(const NestInfo& n, const NestPlan& plan) {
  std::vector<int64_t> trips;
  for (int a : plan.order) {
    if (int64_t t = ceil_div(n.extent[a], plan.axes[a].cache); t > 1) trips.push_back(t);
  }
  for (int a : plan.inner_order) {
    const AxisPlan& p = plan.axes[a];
    const int64_t t = ceil_div(p.cache > 0 ? p.cache : n.extent[a], p.tile);
    if (t == 1) continue;
    // Where the last cache tile has fewer register tiles, this loop cannot be merged with the loop of cache tiles.
    if (p.cache > 0 && ceil_div(n.extent[a], p.tile) % (p.cache / p.tile) != 0) break;
    trips.push_back(t);
  }
  return trips;
}

double work(const NestInfo& n) {
  double bytes = 0;
  for (const Access& a : n.stores) bytes += static_cast<double>(a.element_bytes) * n.spatial_points;
  return n.points * std::max(1.0, n.body_ops) + n.spatial_points * n.point_ops + bytes;
}

namespace {

std::vector<Choice> candidates(const Context& c, const Sketch& s, int) {
  const std::vector<int64_t> trips = shareable_loops(*s.info, nest_plan(s));
  if (c.target.device != DeviceKind::kCpu) return {{static_cast<int64_t>(trips.size()), 1}};
  std::vector<Choice> out = {{0, 1}};
  const int64_t cores = c.target.cores;
  if (cores <= 1 || work(*s.info) < kWorkWorthSharing) return out;
  int64_t merged = 1;
  for (size_t loops = 1; loops <= trips.size(); ++loops) {
    merged *= trips[loops - 1];
    for (int64_t chunks : {int64_t{0}, kMaxChunks, int64_t{1}}) {  // as fine as it goes; some for each core; one for each core
      const int64_t grain = chunks == 0 ? 1 : ceil_div(merged, cores * chunks);
      Choice choice = {static_cast<int64_t>(loops), grain};
      if (std::find(out.begin(), out.end(), choice) == out.end()) out.push_back(choice);
    }
    if (merged >= cores * kMaxChunks) break;
  }
  return out;
}

}  // namespace

Rule parallel_rule() {
  return {DecisionKind::kParallel, [](const Context&, const Sketch&) { return 1; }, candidates,
          [](const Context&, Sketch& s, int, const Choice& c) {
            nest_plan(s).parallel = static_cast<int>(c[0]);
            nest_plan(s).grain = c[1];
          },
          [](const Context& c, const Sketch& s, int) {
            std::vector<int64_t> facts = shareable_loops(*s.info, nest_plan(s));
            facts.insert(facts.begin(), {c.target.cores, log_steps(work(*s.info), kWorkWorthSharing, 2)});
            return facts;
          }};
}

}  // namespace tlm::space
