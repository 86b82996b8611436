// The nearest training workloads: what was fastest there is written down again here.
#include <algorithm>
#include <cmath>

#include "tlm/core/error.h"
#include "tlm/space/records/split_key.h"
#include "tlm/space/records/workload_kind.h"
#include "tlm/tools/eval/rivals/projection.h"
#include "tlm/tools/eval/rivals/rivals.h"

namespace tlm::eval {
namespace {

using space::Schedule;

// What distance is measured by.
struct Signature {
  explicit Signature(const ir::Subgraph& g, const Target& t)
      : structure(space::key_structure(g)),
        extents(space::key_extents(g)),
        kind(space::workload_kind(g)),
        stages(static_cast<int>(g.stages.size())),
        target(t) {}

  std::string structure;
  std::vector<int64_t> extents;
  space::WorkloadKind kind;
  int stages;
  Target target;
};

double log_ratio(double a, double b) { return std::abs(std::log2(std::max(1.0, a)) - std::log2(std::max(1.0, b))); }

// Structure before sizes: another kind of work is further away than any other extents. Doubling an axis counts as one.
double distance(const Signature& a, const Signature& b) {
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

class Nearest : public space::Scheduler {
 public:
  Nearest(TrainingSet training, int schedules) : training_(std::move(training)), schedules_(schedules) {
    for (const TrainingWorkload& w : *training_) signatures_.emplace_back(w.subgraph, w.target);
  }
  std::string name() const override { return "nearest"; }

  std::vector<std::vector<Schedule>> schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) override {
    std::vector<std::vector<Schedule>> out;
    for (const auto& space : spaces) out.push_back(answer(*space));
    return out;
  }

 private:
  // The best of the nearest workload, of the second nearest, …; then the second best of each.
  std::vector<Schedule> answer(const space::Space& space) const {
    const Signature own(space.subgraph(), space.target());
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < signatures_.size(); ++i) order.emplace_back(distance(own, signatures_[i]), i);
    std::sort(order.begin(), order.end());
    if (order.size() > kNeighbours) order.resize(kNeighbours);
    std::vector<std::shared_ptr<const space::Space>> theirs(order.size());
    std::vector<Schedule> out;
    for (size_t rank = 0; rank < kRanks; ++rank) {
      for (size_t n = 0; n < order.size(); ++n) {
        if (static_cast<int>(out.size()) >= schedules_) return out;
        const TrainingWorkload& w = (*training_)[order[n].second];
        if (rank >= w.programs.size() || w.programs[rank].slow) continue;
        if (!theirs[n]) theirs[n] = space::Space::build(w.subgraph, w.target);
        const Result<space::Walk> recorded = theirs[n]->replay(space::parse_schedule(w.programs[rank].schedule));
        if (!recorded) continue;  // of an older space
        Schedule s = project(*recorded, space).schedule();
        if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(std::move(s));
      }
    }
    if (out.empty()) {
      space::Walk w = space.walk();
      w.complete();
      out.push_back(w.schedule());
    }
    return out;
  }

  static constexpr size_t kNeighbours = 5, kRanks = 8;
  TrainingSet training_;
  int schedules_;
  std::vector<Signature> signatures_;
};

}  // namespace

std::unique_ptr<space::Scheduler> make_nearest_rival(TrainingSet training, int schedules) {
  return std::make_unique<Nearest>(std::move(training), schedules);
}

}  // namespace tlm::eval
