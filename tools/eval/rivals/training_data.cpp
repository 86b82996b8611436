#include "tlm/tools/eval/rivals/training_data.h"

#include <algorithm>
#include <cmath>

#include "tlm/core/median.h"

namespace tlm::eval {

using space::MeasureStatus;

void TrainingData::add(const space::Record& r) {
  const auto [at, fresh] = workloads_.try_emplace({r.workload_hash, r.target_hash});
  Workload& w = at->second;
  if (fresh) {
    w.subgraph = ir::parse_subgraph(r.workload);
    w.target = parse_target_json(r.target, "record");
    w.wanted = obstacle_(w.subgraph, w.target).empty();
  }
  if (!w.wanted) {
    ++held_out_;
    return;
  }
  if (r.space_version < w.space_version) return;  // its anchor was another one
  if (r.space_version > w.space_version) {
    w.space_version = r.space_version;
    w.programs.clear();
  }
  Program& p = w.programs[r.schedule];
  if (r.emitter_version < p.emitter_version) return;
  if (r.emitter_version > p.emitter_version) p = Program{r.emitter_version};
  const bool ok = r.status == MeasureStatus::kOk, slow = r.status == MeasureStatus::kSlow;
  p.broken = p.broken || !(ok || slow);
  if (!r.timed() || r.ratio <= 0) return;
  p.slow = p.slow && slow;
  p.log_ratios.push_back(std::log(r.ratio));
}

std::vector<TrainingWorkload> TrainingData::take() {
  std::vector<TrainingWorkload> all;
  for (auto& [key, w] : workloads_) {
    if (!w.wanted) continue;
    TrainingWorkload t{std::move(w.subgraph), std::move(w.target), {}};
    for (auto& [schedule, p] : w.programs)
      if (!p.broken && !p.log_ratios.empty()) t.programs.push_back({schedule, median(std::move(p.log_ratios)), p.slow});
    std::stable_sort(t.programs.begin(), t.programs.end(), [](const TrainingProgram& a, const TrainingProgram& b) {
      return a.slow != b.slow ? b.slow : a.log_ratio > b.log_ratio;
    });
    if (!t.programs.empty()) all.push_back(std::move(t));
  }
  workloads_.clear();
  return all;
}

}  // namespace tlm::eval
