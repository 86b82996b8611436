// The nearest training workloads: what was fastest there is written down again here.
#include <algorithm>

#include "tlm/lm/training/neighbours.h"
#include "tlm/lm/training/projection.h"
#include "tlm/tools/eval/rivals/rivals.h"

namespace tlm::eval {
namespace {

using space::Schedule;

class Nearest : public space::Scheduler {
 public:
  Nearest(TrainingSet training, int schedules) : training_(std::move(training)), schedules_(schedules), neighbours_(*training_) {}
  std::string name() const override { return "nearest"; }

  std::vector<std::vector<Schedule>> schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) override {
    std::vector<std::vector<Schedule>> out;
    for (const auto& space : spaces) out.push_back(answer(*space));
    return out;
  }

 private:
  // The best of the nearest workload, of the second nearest, …; then the second best of each.
  std::vector<Schedule> answer(const space::Space& space) const {
    const std::vector<size_t> order = neighbours_.nearest(space.subgraph(), space.target(), kNeighbours);
    std::vector<std::shared_ptr<const space::Space>> theirs(order.size());
    std::vector<Schedule> out;
    for (size_t rank = 0; rank < kRanks; ++rank) {
      for (size_t n = 0; n < order.size(); ++n) {
        if (static_cast<int>(out.size()) >= schedules_) return out;
        const TrainingWorkload& w = (*training_)[order[n]];
        if (rank >= w.programs.size() || w.programs[rank].slow) continue;
        if (!theirs[n]) theirs[n] = space::Space::build(w.subgraph, w.target);
        const Result<space::Walk> recorded = theirs[n]->replay(space::parse_schedule(w.programs[rank].schedule));
        if (!recorded) continue;  // of an older space
        Schedule s = lm::RecordedChoices(*recorded).project(space).schedule();
        if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(std::move(s));
      }
    }
    if (out.empty()) out.push_back(space.constructive().schedule());
    return out;
  }

  static constexpr size_t kNeighbours = 5, kRanks = 8;
  TrainingSet training_;
  int schedules_;
  lm::Neighbours neighbours_;
};

}  // namespace

std::unique_ptr<space::Scheduler> make_nearest_rival(TrainingSet training, int schedules) {
  return std::make_unique<Nearest>(std::move(training), schedules);
}

}  // namespace tlm::eval
