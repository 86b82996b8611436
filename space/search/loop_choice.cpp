#include "tlm/space/search/loop_choice.h"

#include <algorithm>
#include <cmath>

#include "tlm/space/rules/rule.h"
#include "tlm/space/search/machine_model.h"

namespace tlm::space {
namespace {

constexpr size_t kMaxPermuted = 4;  // loops whose order is searched; further ones keep their place

std::vector<int> inner_loops(const NestInfo& n, const NestPlan& plan) {
  std::vector<int> out;
  for (int a = 0; a < n.spatial; ++a) {
    if ((plan.axes[a].cache > 0 ? plan.axes[a].cache : n.extent[a]) > plan.axes[a].tile) out.push_back(a);
  }
  return out;
}

template <typename Visit>
void for_each_order(std::vector<int> axes, Visit visit) {
  std::sort(axes.begin(), axes.end());
  if (axes.size() > kMaxPermuted) return visit(axes);
  do visit(axes);
  while (std::next_permutation(axes.begin(), axes.end()));
}

double best_inner(const NestInfo& n, NestPlan plan, const Target& t, double compute) {
  double best = INFINITY;
  for_each_order(inner_loops(n, plan), [&](const std::vector<int>& inner) {
    plan.inner_order = inner;
    best = std::min(best, nest_cycles(n, plan, t, compute));
  });
  return best;
}

double best_orders(const NestInfo& n, NestPlan plan, const Target& t) {
  std::vector<int> loops;
  for (int a = 0; a < n.spatial; ++a) {
    if (plan.axes[a].cache > 0) loops.push_back(a);
  }
  double best = INFINITY;
  const double compute = compute_cycles(n, plan, t);
  for_each_order(loops, [&](const std::vector<int>& order) {
    plan.order = order;
    best = std::min(best, best_inner(n, plan, t, compute));
  });
  return best;
}

}  // namespace

double best_without_tiles(const NestInfo& n, const NestPlan& plan, const Target& t, double compute) {
  return best_inner(n, plan, t, compute);
}

double tile_cost(const Context& c, const Sketch& s, int axis, int64_t size) {
  Sketch trial = s;
  nest_plan(trial).axes[axis].cache = size;
  double best = best_orders(*s.info, nest_plan(trial), c.target);
  // One later axis may join: two tiled axes hold a block of both operands.
  for (int later = axis + 1; later < s.info->spatial; ++later) {
    for (const Choice& other : tile_rule().candidates(c, s, later)) {
      if (other[0] == 0) continue;
      NestPlan plan = nest_plan(trial);
      plan.axes[later].cache = other[0];
      best = std::min(best, best_orders(*s.info, plan, c.target));
    }
  }
  return best;
}

double order_cost(const Context& c, const Sketch& s, const Choice& order) {
  NestPlan plan = nest_plan(s);
  plan.order.assign(order.begin(), order.end());
  return best_inner(*s.info, plan, c.target, compute_cycles(*s.info, plan, c.target));
}

double inner_cost(const Context& c, const Sketch& s, const Choice& inner) {
  NestPlan plan = nest_plan(s);
  plan.inner_order.assign(inner.begin(), inner.end());
  return nest_cycles(*s.info, plan, c.target, compute_cycles(*s.info, plan, c.target));
}

}  // namespace tlm::space
