#include "tlm/lm/training/teacher.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tlm/lm/parallel.h"
#include "tlm/space/search/features.h"

namespace tlm::lm {
namespace {

constexpr size_t kMostRows = 100000;             // that the cost model is fitted to
constexpr size_t kNeighbours = 12, kOfEach = 3;  // schedules that are carried over

std::vector<RecordedChoices> fastest(const MeasuredWorkload& w) {
  std::vector<RecordedChoices> out;
  const auto space = space::Space::build(w.subgraph, w.target);
  for (const LabelledProgram& p : w.programs) {
    if (p.slow || out.size() == kOfEach) break;
    if (const Result<space::Walk> walk = space->replay(space::parse_schedule(p.schedule))) out.emplace_back(*walk);
  }
  return out;
}

}  // namespace

Teacher::Teacher(const std::vector<MeasuredWorkload>& measured, Executor& executor)
    : neighbours_(measured), cost_model_(fit_cost_model(measured, kMostRows, executor)), fast_(measured.size()) {
  guarded_parallel_for(executor, static_cast<int64_t>(measured.size()),
                       [&](int64_t i) { fast_[static_cast<size_t>(i)] = fastest(measured[static_cast<size_t>(i)]); });
}

std::vector<std::pair<space::Walk, float>> Teacher::programs(const space::Space& space, size_t count) const {
  std::vector<std::pair<space::Walk, float>> out;
  std::set<uint64_t> known;
  const space::Walk constructive = space.constructive();
  const space::Features anchor = space::features(constructive);
  const auto look = [&](const space::Walk& w) {
    if (known.insert(hash(w.schedule())).second)
      out.emplace_back(w, static_cast<float>(cost_model_->predict(space::feature_row(space::features(w), anchor)) * std::log(2)));
  };
  look(constructive);
  for (const size_t n : neighbours_.nearest(space.subgraph(), space.target(), kNeighbours))
    for (const RecordedChoices& choices : fast_[n]) look(choices.project(space));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (out.size() > count) out.erase(out.begin() + static_cast<std::ptrdiff_t>(count), out.end());
  const float fastest = out.front().second;
  for (auto& [walk, gap] : out) gap -= fastest;
  return out;
}

}  // namespace tlm::lm
