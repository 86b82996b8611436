#include "tlm/space/search/constructive.h"

#include <algorithm>
#include <cmath>

#include "tlm/core/error.h"
#include "tlm/space/rules/packing.h"
#include "tlm/space/rules/parallel.h"
#include "tlm/space/rules/register_tile.h"
#include "tlm/space/rules/rule.h"
#include "tlm/space/scheduler.h"
#include "tlm/space/search/algorithm_choice.h"
#include "tlm/space/search/attach_choice.h"
#include "tlm/space/search/loop_choice.h"
#include "tlm/space/search/machine_model.h"
#include "tlm/space/space.h"

namespace tlm::space {
namespace {

// First of the candidates with the lowest cost.
template <typename Cost>
int cheapest(const std::vector<Choice>& candidates, Cost cost) {
  int best = 0;
  double lowest = INFINITY;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const double c = cost(candidates[i]);
    if (c < lowest * (1 - 1e-9)) {
      lowest = c;
      best = static_cast<int>(i);
    }
  }
  return best;
}

int position(const std::vector<Choice>& candidates, const Choice& wanted) {
  auto at = std::find(candidates.begin(), candidates.end(), wanted);
  return at == candidates.end() ? 0 : static_cast<int>(at - candidates.begin());
}

// Long reductions run from the farthest stride to the nearest: the innermost loop reads neighbours.
Choice reduce_choice(const NestInfo& n) {
  std::vector<int64_t> distance(n.extent.size(), 0);
  for (const Access& l : n.loads) {
    if (l.constant || l.index || l.epilogue) continue;
    for (size_t a = 0; a < distance.size(); ++a) {
      if (l.stride[a] != 0) distance[a] = std::max(distance[a], l.stride[a] == kIrregular ? INT64_MAX : std::abs(l.stride[a]));
    }
  }
  std::vector<int> axes;
  for (size_t a = n.spatial; a < n.extent.size(); ++a) {
    if (static_cast<int>(a) != n.scan && n.extent[a] > 1) axes.push_back(static_cast<int>(a));
  }
  std::stable_sort(axes.begin(), axes.end(), [&](int x, int y) { return distance[x] > distance[y]; });
  return Choice(axes.begin(), axes.end());
}

double unrolled_cycles(const Context& c, const NestInfo& n, NestPlan p, const Choice& unroll) {
  // Code costs compile time and, where the register tile is large already, registers that the compiler juggles with.
  constexpr double kEnough = 8, kAny = 0.03, kPerStatement = 0.0007;
  double updates = n.accumulators;
  for (size_t a = 0; a < p.axes.size(); ++a) {
    updates *= static_cast<double>(p.axes[a].tile) / (static_cast<int>(a) == p.vector_axis ? p.lanes : 1);
  }
  const double factor = static_cast<double>(unroll[1] * unroll[3]);
  const Choice order = reduce_choice(n);  // as it will be
  p.reduce_order.assign(order.begin(), order.end());
  for (int i : {0, 2}) {
    if (unroll[i] >= 0) p.axes[unroll[i]].tile = unroll[i + 1];
  }
  return compute_cycles(n, p, c.target) * (1 + (factor > 1 && updates >= kEnough ? kAny : 0) + kPerStatement * updates * factor);
}

// With the unrolling that suits the register tile `micro`.
double best_unrolled(const Context& c, const Sketch& s, const Choice& micro, const NestPlan& p) {
  if (!s.info->reduces) return compute_cycles(*s.info, p, c.target);
  Sketch trial = s;
  const Rule rule = micro_rule();
  rule.apply(c, trial, 0, micro);
  double best = INFINITY;
  for (const Choice& u : unroll_rule().candidates(c, trial, 0)) best = std::min(best, unrolled_cycles(c, *s.info, p, u));
  return best;
}

int unroll_choice(const Context& c, const Sketch& s, const Decision& d) {
  NestPlan p = s.plan.nests[s.nest];
  for (int a = 0; a < s.info->spatial; ++a) p.axes[a].tail = Tail::kBalanced;
  return cheapest(d.candidates, [&](const Choice& u) { return unrolled_cycles(c, *s.info, p, u); });
}

int micro_choice(const Context& c, const Sketch& s, const Decision& d) {
  const NestInfo& n = *s.info;
  NestPlan plan = s.plan.nests[s.nest];
  return cheapest(d.candidates, [&](const Choice& choice) {
    const Micro m = Micro::from(choice);
    NestPlan p = plan;
    p.vector_axis = m.vector_axis;
    p.lanes = m.lanes;
    if (m.vector_axis >= 0) p.axes[m.vector_axis].tile = m.lanes * m.vectors;
    for (int i : {0, 1}) {
      if (m.axis[i] < 0) continue;
      p.axes[m.axis[i]].tile = m.tile[i];
      p.axes[m.axis[i]].tail = Tail::kBalanced;
    }
    return best_without_tiles(n, p, c.target, best_unrolled(c, s, choice, p));
  });
}

int tail_choice(const Context& c, const Sketch& s, const Decision& d) {
  const NestPlan& plan = s.plan.nests[s.nest];
  for (const Access& a : s.info->loads) {  // panels along this axis want whole tiles
    if (packable_along(*s.info, a, d.item) && (plan.vector_axis < 0 || !packable_along(*s.info, a, plan.vector_axis)))
      return d.neutral;
  }
  return cheapest(d.candidates, [&](const Choice& choice) {
    NestPlan p = plan;
    p.axes[d.item].tail = static_cast<Tail>(choice[0]);
    return compute_cycles(*s.info, p, c.target);
  });
}

int parallel_choice(const Context& c, const Sketch& s, const Decision& d) {
  const std::vector<int64_t> trips = shareable_loops(*s.info, s.plan.nests[s.nest]);
  const double total = work(*s.info);
  return cheapest(d.candidates, [&](const Choice& choice) {
    if (choice[0] == 0) return total;
    double merged = 1;
    for (int64_t i = 0; i < choice[0]; ++i) merged *= static_cast<double>(trips[i]);
    const double chunks = std::ceil(merged / static_cast<double>(choice[1]));
    // The core that gets most chunks decides; each chunk costs a little to hand out; a disturbed core is late by a part of a
    // chunk.
    constexpr double kStart = 8000, kChunk = 200, kLate = 0.25;
    const double grain = static_cast<double>(choice[1]);
    const double most = std::ceil(chunks / c.target.cores) * grain;
    return kStart + total * (most + kLate * grain) / merged + kChunk * chunks / c.target.cores;
  });
}

// Where weights are used again and again, requests for the next ones cost nothing beside the arithmetic.
int prefetch_choice(const Context& c, const Sketch& s, const Decision& d) {
  constexpr double kUses = 8;  // of each element
  double elements = 0;
  for (const Access& a : s.info->loads) {
    if (a.constant) elements = std::max(elements, static_cast<double>(element_count(c.g.tensors[a.tensor].shape)));
  }
  return s.info->points >= kUses * elements ? position(d.candidates, {1}) : d.neutral;
}

}  // namespace

int constructive_choice(const Context& c, const Sketch& s, const Decision& d) {
  switch (d.kind) {
    case DecisionKind::kAlgorithm: return algorithm_choice(c, s, d);
    case DecisionKind::kAttach: return position(d.candidates, {static_cast<int64_t>(attach_choice(c, s, d))});
    case DecisionKind::kMicro: return micro_choice(c, s, d);
    case DecisionKind::kUnroll: return unroll_choice(c, s, d);
    case DecisionKind::kReduce: return position(d.candidates, reduce_choice(*s.info));
    case DecisionKind::kTile: return cheapest(d.candidates, [&](const Choice& x) { return tile_cost(c, s, d.item, x[0]); });
    case DecisionKind::kTail: return tail_choice(c, s, d);
    case DecisionKind::kOrder: return cheapest(d.candidates, [&](const Choice& x) { return order_cost(c, s, x); });
    case DecisionKind::kInner: return cheapest(d.candidates, [&](const Choice& x) { return inner_cost(c, s, x); });
    case DecisionKind::kPack: return position(d.candidates, {1});
    case DecisionKind::kParallel: return parallel_choice(c, s, d);
    case DecisionKind::kPrefetch: return prefetch_choice(c, s, d);
  }
  TLM_CHECK(false) << d.name;
  return 0;
}

namespace {

class ConstructiveScheduler : public Scheduler {
 public:
  std::string name() const override { return "constructive"; }
  std::vector<std::vector<Schedule>> schedule(const std::vector<std::shared_ptr<const Space>>& spaces) override {
    std::vector<std::vector<Schedule>> out;
    for (const auto& space : spaces) out.push_back({space->constructive().schedule()});
    return out;
  }
};

}  // namespace

std::unique_ptr<Scheduler> make_constructive_scheduler() { return std::make_unique<ConstructiveScheduler>(); }

}  // namespace tlm::space
