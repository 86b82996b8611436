#include "synthetic_latency.h"

#include <cmath>

namespace tlm::space::test {

SyntheticLatency::SyntheticLatency(const Space& space) : space_(space) { anchor_ms_ = ms(space.constructive().schedule()); }

// Register tiles near 4 × 2 vectors, the second reduction loop unrolled by two, cache tiles of about 8 points, reductions from
// the last axis to the first, coarse grain: not what the machine model thinks, so that it has to be learned.
double SyntheticLatency::ms(const Schedule& s) const {
  const SchedulePlan plan = space_.replay(s).value().plan();
  double log_ms = 0;
  for (const NestPlan& n : plan.nests) {
    double points = 1, vectors = n.vector_axis >= 0 ? static_cast<double>(n.axes[n.vector_axis].tile / n.lanes) : 0.25;
    for (size_t a = 0; a < n.axes.size(); ++a) {
      const AxisPlan& x = n.axes[a];
      if (static_cast<int>(a) != n.vector_axis && x.tile > 1) points *= static_cast<double>(x.tile);
      if (x.cache > 0) log_ms += 0.1 * std::abs(std::log2(static_cast<double>(x.cache) / 8)) - 0.3;
      log_ms += x.tail == Tail::kShifted ? 0.1 : 0;
    }
    log_ms += 0.3 + 0.4 * std::abs(std::log2(points / 4)) + 0.5 * std::abs(std::log2(vectors / 2));
    log_ms += n.vector_axis < 0 ? 1 : 0.3 * (n.vector_axis % 2);
    for (size_t i = 0; i + 1 < n.reduce_order.size(); ++i) log_ms += n.reduce_order[i] < n.reduce_order[i + 1] ? 0.15 : 0;
    log_ms += 0.1 * std::abs(std::log2(static_cast<double>(n.grain) / 8)) + (n.parallel == 1 ? 0 : 0.4);
  }
  return kFloor * std::exp2(std::max(0.0, log_ms));
}

}  // namespace tlm::space::test
