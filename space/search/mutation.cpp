#include "tlm/space/search/mutation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace tlm::space {
namespace {

double log_distance(int64_t a, int64_t b) {
  return std::abs(std::log2(static_cast<double>(std::max<int64_t>(1, a))) -
                  std::log2(static_cast<double>(std::max<int64_t>(1, b))));
}

// Over pairs [axis or -1, points] from `first` on: an axis that is not named has one point.
double pairs_distance(const Choice& a, const Choice& b, size_t first) {
  std::map<int64_t, int64_t> left, right;
  for (size_t i = first; i + 1 < a.size(); i += 2) left[a[i]] = a[i + 1];
  for (size_t i = first; i + 1 < b.size(); i += 2) right[b[i]] = b[i + 1];
  double sum = 0;
  for (const auto& [axis, points] : left) sum += axis < 0 ? 0 : log_distance(points, right.contains(axis) ? right[axis] : 1);
  for (const auto& [axis, points] : right) sum += axis < 0 || left.contains(axis) ? 0 : log_distance(points, 1);
  return sum;
}

// Pairs that stand the other way round, of the elements that both have.
double order_distance(const Choice& a, const Choice& b) {
  Choice common;
  for (int64_t axis : a) {
    if (std::find(b.begin(), b.end(), axis) != b.end()) common.push_back(axis);
  }
  const auto place = [&](int64_t axis) { return std::find(b.begin(), b.end(), axis); };
  double sum = 0;
  for (size_t i = 0; i < common.size(); ++i) {
    for (size_t j = i + 1; j < common.size(); ++j) sum += place(common[i]) > place(common[j]);
  }
  return sum;
}

// How unlike two choices of one kind are; infinite: they cannot be compared.
double distance(DecisionKind kind, const Choice& a, const Choice& b) {
  if (a == b) return 0;
  switch (kind) {
    case DecisionKind::kMicro:
      if (a.size() != b.size() || a.size() < 3) return INFINITY;
      return (a[0] == b[0] ? 0 : 8) + log_distance(a[1], b[1]) + log_distance(a[2], b[2]) + pairs_distance(a, b, 3);
    case DecisionKind::kUnroll: return pairs_distance(a, b, 0);
    case DecisionKind::kTile: return (a[0] == 0) != (b[0] == 0) ? 8 : log_distance(a[0], b[0]);
    case DecisionKind::kOrder:
    case DecisionKind::kInner:
    case DecisionKind::kReduce: return order_distance(a, b);
    case DecisionKind::kParallel:
      return a.size() != 2 || b.size() != 2 ? INFINITY
                                            : 2 * static_cast<double>(std::abs(a[0] - b[0])) + log_distance(a[1], b[1]);
    default: return INFINITY;
  }
}

bool same_axes(const ir::Stage& a, const ir::Stage& b) {
  if (a.axes.size() != b.axes.size()) return false;
  for (size_t i = 0; i < a.axes.size(); ++i) {
    if (a.axes[i].name != b.axes[i].name || a.axes[i].extent != b.axes[i].extent || a.axes[i].kind != b.axes[i].kind)
      return false;
  }
  return true;
}

// What a complete walk chose, to be repeated in another one.
class Memory {
 public:
  explicit Memory(const Walk& w) : walk_(w) {
    for (size_t i = 0; i < w.decisions().size(); ++i) place_[w.decisions()[i].name] = i;
  }

  // The candidate at the open decision of `now` that comes nearest; the constructive one where this walk has nothing to say.
  int recall(const Walk& now) const {
    const Decision& d = now.decision();
    const auto at = place_.find(d.name);
    if (at == place_.end()) return now.constructive();
    const Decision& before = walk_.decisions()[at->second];
    if (before.kind != d.kind || !same_stage(now, d)) return now.constructive();
    const int nearest = nearest_candidate(d, before.candidates[static_cast<size_t>(walk_.chosen()[at->second])]);
    return nearest >= 0 ? nearest : now.constructive();
  }

 private:
  // Decisions about structure may have put another stage in the place.
  bool same_stage(const Walk& now, const Decision& d) const {
    if (!shapes_nest(d.kind) && d.kind != DecisionKind::kAttach) return true;
    const auto stage = static_cast<size_t>(d.stage);
    const std::vector<ir::Stage>&here = now.subgraph().stages, &there = walk_.subgraph().stages;
    return stage < here.size() && stage < there.size() && same_axes(here[stage], there[stage]);
  }

  const Walk& walk_;
  std::map<std::string, size_t> place_;
};

// Decisions with many candidates matter most, on the whole.
std::string drawn_decision(const Walk& w, Rng& rng) {
  double total = 0;
  for (const Decision& d : w.decisions()) total += std::log2(1.0 + static_cast<double>(d.candidates.size()));
  double left = rng.uniform() * total;
  for (const Decision& d : w.decisions()) {
    left -= std::log2(1.0 + static_cast<double>(d.candidates.size()));
    if (left < 0) return d.name;
  }
  return w.decisions().back().name;
}

// Another candidate than `old`: half of the time one of its nearest, which often is a small step.
int changed(const Decision& d, int old, Rng& rng) {
  const int n = static_cast<int>(d.candidates.size());
  if (n <= 4 || rng.below(2) == 0) return static_cast<int>((static_cast<uint64_t>(old) + 1 + rng.below(n - 1)) % n);
  constexpr size_t kNear = 6;
  std::vector<std::pair<double, int>> others;
  for (int i = 0; i < n; ++i) {
    if (i != old) others.push_back({distance(d.kind, d.candidates[i], d.candidates[old]), i});
  }
  std::partial_sort(others.begin(), others.begin() + std::min(kNear, others.size()), others.end());
  return others[rng.below(std::min(kNear, others.size()))].second;
}

}  // namespace

bool shapes_nest(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kMicro:
    case DecisionKind::kUnroll:
    case DecisionKind::kTile:
    case DecisionKind::kTail:
    case DecisionKind::kOrder:
    case DecisionKind::kInner:
    case DecisionKind::kReduce:
    case DecisionKind::kPack:
    case DecisionKind::kParallel:
    case DecisionKind::kPrefetch: return true;
    default: return false;
  }
}

int nearest_candidate(const Decision& d, const Choice& wanted) {
  int best = -1;
  double least = INFINITY;
  for (size_t i = 0; i < d.candidates.size(); ++i) {
    const double far = distance(d.kind, d.candidates[i], wanted);
    if (far < least) least = far, best = static_cast<int>(i);
  }
  return best;
}

Walk mutate(const Walk& parent, Rng& rng) {
  if (parent.decisions().empty()) return parent;
  constexpr double kTwo = 0.3, kThree = 0.1, kRebuild = 0.3;
  const double draw = rng.uniform();
  std::vector<std::string> names;
  for (int i = 0; i < (draw < kThree ? 3 : draw < kTwo ? 2 : 1); ++i) names.push_back(drawn_decision(parent, rng));
  const bool rebuild = rng.uniform() < kRebuild;
  const Memory memory(parent);
  Walk w = parent.space().walk();
  int rebuilt = -1;  // the nest that is left to the constructive scheduler
  while (!w.done()) {
    const Decision& d = w.decision();
    if (std::find(names.begin(), names.end(), d.name) != names.end()) {
      if (rebuild && shapes_nest(d.kind)) rebuilt = d.stage;
      w.choose(changed(d, memory.recall(w), rng));
    } else {
      w.choose(d.stage == rebuilt && shapes_nest(d.kind) ? w.constructive() : memory.recall(w));
    }
  }
  return w;
}

Walk crossover(const Walk& a, const Walk& b, Rng& rng) {
  const Memory first(a), second(b);
  const bool by_nest = rng.below(2) == 0;
  const size_t point = a.decisions().empty() ? 0 : rng.below(a.decisions().size());
  std::map<int, bool> of_second;  // by stage
  Walk w = a.space().walk();
  while (!w.done()) {
    const Decision& d = w.decision();
    bool other = w.chosen().size() > point;
    if (by_nest) {  // the structure is that of `a`
      other = false;
      if (shapes_nest(d.kind)) {
        const auto [at, fresh] = of_second.try_emplace(d.stage, false);
        if (fresh) at->second = rng.below(2) == 0;
        other = at->second;
      }
    }
    w.choose(other ? second.recall(w) : first.recall(w));
  }
  return w;
}

Walk random_walk(const Space& space, Rng& rng, double wild) {
  Walk w = space.walk();
  while (!w.done()) {
    const bool draw = wild >= 1 || rng.uniform() < wild;
    w.choose(draw ? static_cast<int>(rng.below(w.decision().candidates.size())) : w.constructive());
  }
  return w;
}

}  // namespace tlm::space
