#include "tlm/space/search/nest_features.h"

#include <algorithm>
#include <cmath>

#include "tlm/space/rules/parallel.h"
#include "tlm/space/rules/register_tile.h"
#include "tlm/space/rules/tiling.h"
#include "tlm/space/search/machine_model.h"
#include "tlm/space/rules/traffic.h"

namespace tlm::space {
namespace {

class NestReader {
 public:
  NestReader(const NestInfo& n, const NestPlan& p, const SchedulePlan& whole, const Target& t)
      : n_(n), p_(p), whole_(whole), t_(t) {}

  NestFeatures read() {
    model();
    register_tile();
    vector_axis();
    loops();
    strides();
    sharing();
    tails();
    for (double& x : f_) x = std::isfinite(x) ? x : 0;
    return f_;
  }

 private:
  double& at(NestFeature f) { return f_[static_cast<size_t>(f)]; }
  double extent(size_t a) const { return static_cast<double>(std::max<int64_t>(1, n_.extent[a])); }
  int64_t tile(size_t a) const { return std::max<int64_t>(1, p_.axes[a].tile); }
  int64_t cached(size_t a) const { return p_.axes[a].cache > 0 ? p_.axes[a].cache : n_.extent[a]; }

  void model() {
    at(NestFeature::work) = work(n_);
    const double compute = compute_cycles(n_, p_, t_);
    at(NestFeature::compute_cycles) = compute;
    at(NestFeature::cycles) = nest_cycles(n_, p_, t_, compute);
    const Traffic traffic(n_, p_);
    at(NestFeature::traffic_l1) = traffic.into(1024.0 * t_.l1_kb);
    at(NestFeature::traffic_l2) = traffic.into(1024.0 * t_.l2_kb);
    at(NestFeature::traffic_l3) = traffic.into(1024.0 * t_.l3_kb);
    at(NestFeature::footprint) = footprint_bytes(n_, n_.extent);
    std::vector<int64_t> span = n_.extent;
    for (int a = 0; a < n_.spatial; ++a) span[a] = std::min(n_.extent[a], cached(a));
    at(NestFeature::footprint_cache_tile) = footprint_bytes(n_, span);
    for (int a = 0; a < n_.spatial; ++a) span[a] = std::min(n_.extent[a], tile(a));
    at(NestFeature::footprint_register_tile) = footprint_bytes(n_, span);
    for (const Access& s : n_.stores) at(NestFeature::store_bytes) += footprint_bytes(s, n_.extent);
  }

  void register_tile() {
    const int v = p_.vector_axis;
    std::vector<int64_t> others;
    double accumulators = n_.accumulators, unroll = 1;
    for (size_t a = 0; a < n_.extent.size(); ++a) {
      const int64_t points = tile(a);
      const bool vector = static_cast<int>(a) == v;
      if (static_cast<int>(a) < n_.spatial) {
        accumulators *= static_cast<double>(vector ? std::max<int64_t>(1, points / p_.lanes) : points);
        if (!vector && points > 1) others.push_back(points);
      } else {
        unroll *= static_cast<double>(vector ? std::max<int64_t>(1, points / p_.lanes) : points);
      }
    }
    std::sort(others.rbegin(), others.rend());
    at(NestFeature::accumulators) = accumulators;
    at(NestFeature::lanes) = p_.lanes;
    at(NestFeature::vectors) = v < 0 ? 0 : static_cast<double>(tile(v) / p_.lanes);
    at(NestFeature::largest_tile) = others.empty() ? 1 : static_cast<double>(others[0]);
    at(NestFeature::second_tile) = others.size() < 2 ? 1 : static_cast<double>(others[1]);
    at(NestFeature::unroll) = unroll;
    at(NestFeature::updates) = accumulators * unroll;
    double loads = 0, held = 0;
    for (const Access& l : n_.loads) {
      if (l.index || l.epilogue) continue;
      double count = 1;
      for (int a = 0; a < n_.spatial; ++a) {
        if (l.depends(a)) count *= static_cast<double>(a == v ? std::max<int64_t>(1, tile(a) / p_.lanes) : tile(a));
      }
      loads += count;
      held = std::max(held, count);
    }
    at(NestFeature::loads_per_update) = loads / accumulators;
    at(NestFeature::registers) = (accumulators + loads - held + 1 + n_.temporaries) / std::max(1, t_.vector_registers);
    double steps = 1;
    for (size_t a = n_.spatial; a < n_.extent.size(); ++a) steps *= extent(a);
    at(NestFeature::reduction) = steps / unroll;
    at(NestFeature::stores_per_update) = static_cast<double>(n_.stores.size()) / steps;
  }

  void vector_axis() {
    const int v = p_.vector_axis;
    at(NestFeature::scalar) = v < 0;
    at(NestFeature::horizontal) = v >= n_.spatial;
    double count = 0, streams = 0, same = 0;
    for (const Access& l : n_.loads) {
      if (l.index) continue;
      ++count;
      if (v < 0) continue;
      same += !l.depends(v);
      streams += l.depends(v) && streams_along(n_, l, v);
    }
    count = std::max(1.0, count);
    at(NestFeature::streams) = streams / count;
    at(NestFeature::broadcasts) = same / count;
    at(NestFeature::gathers) = v < 0 ? 0 : 1 - (streams + same) / count;
  }

  void loops() {
    double tiles = 1, cache = 1;
    for (int a = 0; a < n_.spatial; ++a) {
      tiles *= static_cast<double>(ceil_div(std::max<int64_t>(1, n_.extent[a]), tile(a)));
      cache *= static_cast<double>(cached(a));
      at(NestFeature::cache_loops) += p_.axes[a].cache > 0;
    }
    at(NestFeature::tiles) = tiles;
    at(NestFeature::cache_tile) = cache;
    at(NestFeature::inner_spatial) = at(NestFeature::inner_reduction) = 1;
    for (int a : p_.inner_order) {
      const int64_t trips = ceil_div(std::max<int64_t>(1, cached(a)), tile(a));
      if (trips > 1) at(NestFeature::inner_spatial) = static_cast<double>(trips), inner_ = a;
    }
    for (int a : p_.reduce_order) {
      const int64_t trips = ceil_div(std::max<int64_t>(1, n_.extent[a]), tile(a));
      if (trips <= 1) continue;
      ++at(NestFeature::reduction_loops);
      at(NestFeature::inner_reduction) = static_cast<double>(trips);
      reduced_ = a;
    }
  }

  void strides() {
    const auto bytes = [&](const Access& x, int a) {
      const int64_t stride = x.stride[a] == kIrregular ? 1024 : std::abs(x.stride[a]);
      return static_cast<double>(stride * x.element_bytes * tile(a));
    };
    for (const Access& l : n_.loads) {
      if (l.index || l.epilogue || l.constant || reduced_ < 0) continue;
      at(NestFeature::reduction_stride) = std::max(at(NestFeature::reduction_stride), bytes(l, reduced_));
    }
    for (const Access& s : n_.stores) {
      if (inner_ >= 0) at(NestFeature::store_stride) = std::max(at(NestFeature::store_stride), bytes(s, inner_));
    }
    for (const Access& l : n_.loads) {
      if (!l.constant || l.tensor < 0) continue;
      const auto tensor = static_cast<size_t>(l.tensor);
      const bool packed = tensor < whole_.packed.size() && !whole_.packed[tensor].empty();
      ++at(packed ? NestFeature::packed : NestFeature::unpacked);
    }
    at(NestFeature::prefetch) = p_.prefetch ? 1 : 0;
  }

  void sharing() {
    const std::vector<int64_t> trips = shareable_loops(n_, p_);
    double merged = 1;
    for (size_t i = 0; i < trips.size() && static_cast<int>(i) < p_.parallel; ++i) merged *= static_cast<double>(trips[i]);
    at(NestFeature::parallel) = p_.parallel > 0 ? merged : 0;
    at(NestFeature::serial) = p_.parallel == 0;
    at(NestFeature::grain) = static_cast<double>(p_.grain);
    const double cores = std::max(1, t_.cores), chunks = std::ceil(merged / static_cast<double>(std::max<int64_t>(1, p_.grain)));
    at(NestFeature::chunks_per_core) = chunks / cores;
    at(NestFeature::imbalance) =
        p_.parallel == 0 ? cores : std::ceil(chunks / cores) * cores * static_cast<double>(p_.grain) / merged;
    at(NestFeature::epilogues) = static_cast<double>(n_.epilogue.size());
  }

  void tails() {
    double full = 1;
    for (size_t a = 0; a < n_.extent.size(); ++a) {
      at(NestFeature::guards) += n_.guard_varies[a];
      const int64_t rest = n_.extent[a] % tile(a);
      if (static_cast<int>(a) == p_.vector_axis && n_.extent[a] > 0) {
        const double whole = static_cast<double>(round_up(n_.extent[a], p_.lanes));
        at(NestFeature::idle_lanes) = 1 - static_cast<double>(n_.extent[a]) / whole;
      }
      if (rest == 0 || static_cast<int>(a) >= n_.spatial) continue;
      full *= 1 - static_cast<double>(rest) / static_cast<double>(n_.extent[a]);
      ++at(NestFeature::tails);
      at(NestFeature::shifted) += p_.axes[a].tail == Tail::kShifted;
      at(NestFeature::balanced) += p_.axes[a].tail == Tail::kBalanced;
    }
    at(NestFeature::remainders) = 1 - full;
  }

  const NestInfo& n_;
  const NestPlan& p_;
  const SchedulePlan& whole_;
  const Target& t_;
  NestFeatures f_{};
  int inner_ = -1, reduced_ = -1;  // the innermost loops that iterate
};

}  // namespace

NestFeatures nest_features(const NestInfo& n, const NestPlan& plan, const SchedulePlan& whole, const Target& t) {
  return NestReader(n, plan, whole, t).read();
}

}  // namespace tlm::space
