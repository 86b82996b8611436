// Orders of loops: cache tiles, register tiles, reductions.
#include <algorithm>

#include "tlm/space/rules/rule.h"
#include "tlm/space/rules/scale.h"
#include "tlm/space/rules/tiling.h"
#include "tlm/space/rules/traffic.h"

namespace tlm::space {
namespace {

// All permutations of up to four loops, else the rotations and each loop moved to either end. The given order first.
std::vector<Choice> permutations(const std::vector<int>& axes) {
  std::vector<Choice> out;
  Choice natural(axes.begin(), axes.end());
  auto add = [&](const Choice& c) {
    if (std::find(out.begin(), out.end(), c) == out.end()) out.push_back(c);
  };
  add(natural);
  if (axes.size() <= 4) {
    std::vector<int> at(axes.size());
    for (size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int>(i);
    while (std::next_permutation(at.begin(), at.end())) {
      Choice c;
      for (int i : at) c.push_back(natural[i]);
      out.push_back(std::move(c));
    }
    return out;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    Choice c = natural;
    std::rotate(c.begin(), c.begin() + static_cast<int64_t>(i), c.end());
    add(c);
    Choice first = natural, last = natural;
    std::rotate(first.begin(), first.begin() + static_cast<int64_t>(i), first.begin() + static_cast<int64_t>(i) + 1);
    std::rotate(last.begin() + static_cast<int64_t>(i), last.begin() + static_cast<int64_t>(i) + 1, last.end());
    add(first);
    add(last);
  }
  return out;
}

std::vector<int> as_axes(const Choice& c) { return std::vector<int>(c.begin(), c.end()); }

int one(const Context&, const Sketch&) { return 1; }

std::vector<int> cache_loops(const Sketch& s) {
  std::vector<int> out;
  for (int a = 0; a < s.info->spatial; ++a) {
    if (nest_plan(s).axes[a].cache > 0) out.push_back(a);
  }
  return out;
}

// That the register-tile loop of an axis runs over.
int64_t points(const Sketch& s, int a) {
  const int64_t cache = nest_plan(s).axes[a].cache;
  return cache > 0 ? cache : s.info->extent[a];
}

// Spatial axes whose register-tile loop runs more than once.
std::vector<int> tile_loops(const Sketch& s) {
  std::vector<int> out;
  for (int a = 0; a < s.info->spatial; ++a) {
    if (points(s, a) > nest_plan(s).axes[a].tile) out.push_back(a);
  }
  return out;
}

// Reduction axes with more than one point; one order only where contributions must come in sequence.
std::vector<int> reduce_loops(const Sketch& s) {
  std::vector<int> out;
  for (int a = s.info->spatial; a < static_cast<int>(s.info->extent.size()); ++a) {
    if (a != s.info->scan && s.info->extent[a] > 1) out.push_back(a);
  }
  return out;
}

// `all` with the chosen axes in their order; the loops of the others run once, so it does not matter where they stand.
std::vector<int> with_rest(const Choice& chosen, const std::vector<int>& all) {
  std::vector<int> out = all;
  size_t next = 0;
  for (int& a : out) {
    if (std::find(chosen.begin(), chosen.end(), a) != chosen.end()) a = static_cast<int>(chosen[next++]);
  }
  return out;
}

// Bytes into the second and the first cache as multiples of what the nest touches, in half octaves.
std::vector<int64_t> traffic(const Context& c, const NestInfo& n, const NestPlan& plan) {
  const Traffic traffic(n, plan);
  const double least = footprint_bytes(n, n.extent);
  return {log_steps(traffic.into(1024.0 * c.target.l2_kb), least, 2), log_steps(traffic.into(1024.0 * c.target.l1_kb), least, 2)};
}

}  // namespace

Rule reduce_rule() {
  return {DecisionKind::kReduce, one,
          [](const Context&, const Sketch& s, int) {
            std::vector<int> loops = reduce_loops(s);
            if (s.info->reorderable) return permutations(loops);
            return std::vector<Choice>{Choice(loops.begin(), loops.end())};
          },
          [](const Context&, Sketch& s, int, const Choice& c) {
            NestPlan& n = nest_plan(s);
            n.reduce_order = with_rest(c, n.reduce_order);
          }};
}

Rule order_rule() {
  return {DecisionKind::kOrder, one, [](const Context&, const Sketch& s, int) { return permutations(cache_loops(s)); },
          [](const Context&, Sketch& s, int, const Choice& c) { nest_plan(s).order = as_axes(c); },
          [](const Context&, const Sketch& s, int) {
            std::vector<int64_t> facts;
            for (int a : cache_loops(s)) facts.insert(facts.end(), {a, ceil_div(s.info->extent[a], nest_plan(s).axes[a].cache)});
            return facts;
          },
          [](const Context& c, const Sketch& s, int, const Choice& choice) {
            NestPlan n = nest_plan(s);
            n.order = as_axes(choice);
            return traffic(c, *s.info, n);
          }};
}

Rule inner_rule() {
  return {DecisionKind::kInner, one, [](const Context&, const Sketch& s, int) { return permutations(tile_loops(s)); },
          [](const Context&, Sketch& s, int, const Choice& c) {
            NestPlan& n = nest_plan(s);
            n.inner_order = with_rest(c, n.inner_order);
          },
          [](const Context&, const Sketch& s, int) {
            std::vector<int64_t> facts;
            for (int a : tile_loops(s)) facts.insert(facts.end(), {a, ceil_div(points(s, a), nest_plan(s).axes[a].tile)});
            return facts;
          },
          [](const Context& c, const Sketch& s, int, const Choice& choice) {
            NestPlan n = nest_plan(s);
            n.inner_order = with_rest(choice, n.inner_order);
            return traffic(c, *s.info, n);
          }};
}

}  // namespace tlm::space
