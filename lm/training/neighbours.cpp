#include "tlm/lm/training/neighbours.h"

#include <algorithm>
#include <cmath>

#include "tlm/space/records/split_key.h"

namespace tlm::lm {
namespace {

double log_ratio(double a, double b) { return std::abs(std::log2(std::max(1.0, a)) - std::log2(std::max(1.0, b))); }

}  // namespace

Neighbours::Signature::Signature(const ir::Subgraph& g, const Target& t)
    : structure(space::key_structure(g)),
      extents(space::key_extents(g)),
      kind(space::workload_kind(g)),
      stages(static_cast<int>(g.stages.size())),
      target(t) {}

double Neighbours::distance(const Signature& a, const Signature& b) {
  constexpr double kOtherKind = 1000, kOtherStructure = 100, kOtherStages = 0.25, kOtherHardware = 4;
  double sum = 0;
  if (a.kind != b.kind) sum += kOtherKind;
  if (a.structure != b.structure) sum += kOtherStructure;
  for (size_t i = 0; i < std::max(a.extents.size(), b.extents.size()); ++i)
    sum += log_ratio(i < a.extents.size() ? static_cast<double>(a.extents[i]) : 1,
                     i < b.extents.size() ? static_cast<double>(b.extents[i]) : 1);
  sum += kOtherStages * std::abs(a.stages - b.stages);
  sum += kOtherHardware * (log_ratio(a.target.vector_bits, b.target.vector_bits) + (a.target.fma != b.target.fma) +
                           log_ratio(a.target.vector_registers, b.target.vector_registers));
  return sum + log_ratio(a.target.cores, b.target.cores);
}

Neighbours::Neighbours(const std::vector<MeasuredWorkload>& measured) {
  for (const MeasuredWorkload& w : measured) signatures_.emplace_back(w.subgraph, w.target);
}

std::vector<size_t> Neighbours::nearest(const ir::Subgraph& g, const Target& t, size_t count) const {
  const Signature own(g, t);
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < signatures_.size(); ++i) order.emplace_back(distance(own, signatures_[i]), i);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
  std::vector<size_t> out;
  for (size_t i = 0; i < count; ++i) out.push_back(order[i].second);
  return out;
}

}  // namespace tlm::lm
