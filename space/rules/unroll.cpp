// Unrolling of reduction axes inside the register tile.
#include <algorithm>

#include "tlm/space/rules/rule.h"
#include "tlm/space/rules/scale.h"
#include "tlm/space/rules/tiling.h"

namespace tlm::space {
namespace {

constexpr int64_t kMaxStatements = 128;  // accumulator updates in one unrolled body: keeps source and compile time small

int64_t updates(const Sketch& s) {
  const NestPlan& n = nest_plan(s);
  int64_t count = s.info->accumulators;
  for (int a = 0; a < static_cast<int>(n.axes.size()); ++a) count *= n.axes[a].tile / (a == n.vector_axis ? n.lanes : 1);
  return count;
}

std::vector<int64_t> factors(int64_t extent, int64_t limit) {
  std::vector<int64_t> out;
  for (int64_t f = 2; f <= std::min<int64_t>(extent, 16); ++f) {
    if (extent % f != 0 || f > limit) continue;
    if (f == extent || f == 2 || f == 4 || f == 8) out.push_back(f);  // whole kernel rows, or a few steps
  }
  return out;
}

// A unit-stride vector along a reduction axis is unrolled by its number of vectors already.
std::vector<int> axes_to_unroll(const Sketch& s) {
  std::vector<int> out;
  const NestPlan& n = nest_plan(s);
  for (int a = s.info->spatial; a < static_cast<int>(n.axes.size()); ++a) {
    if (a != s.info->scan && a != n.vector_axis && s.info->extent[a] > 1) out.push_back(a);
  }
  return out;
}

std::vector<Choice> candidates(const Context& c, const Sketch& s, int) {
  std::vector<Choice> out = {{-1, 1, -1, 1}};
  if (c.target.device != DeviceKind::kCpu || !s.info->reorderable) return out;
  const int64_t limit = kMaxStatements / updates(s);
  const std::vector<int> axes = axes_to_unroll(s);
  for (int a : axes) {
    for (int64_t f : factors(s.info->extent[a], limit)) out.push_back({a, f, -1, 1});
  }
  for (size_t i = 0; i < axes.size(); ++i) {  // two axes, both whole: kernel rows and columns of a small window
    for (size_t j = i + 1; j < axes.size(); ++j) {
      const int64_t e = s.info->extent[axes[i]], f = s.info->extent[axes[j]];
      if (e <= 7 && f <= 7 && e * f <= limit) out.push_back({axes[i], e, axes[j], f});
    }
  }
  return out;
}

void apply(const Context&, Sketch& s, int, const Choice& choice) {
  NestPlan& n = nest_plan(s);
  for (size_t i = 0; i + 1 < choice.size(); i += 2) {
    if (choice[i] < 0) continue;
    n.axes[choice[i]].tile = choice[i + 1];
    n.unroll_order.insert(n.unroll_order.begin() + static_cast<int64_t>(i / 2), static_cast<int>(choice[i]));
  }
}

// Updates of one body, in half octaves; points for each element that it touches, in quarter octaves from a half.
std::vector<int64_t> consequences(const Context&, const Sketch& s, int, const Choice& choice) {
  const NestPlan& n = nest_plan(s);
  std::vector<int64_t> span;
  for (size_t a = 0; a < n.axes.size(); ++a) span.push_back(std::min(s.info->extent[a], n.axes[a].tile));
  double factor = 1, points = 1;
  for (size_t i = 0; i + 1 < choice.size(); i += 2) {
    if (choice[i] < 0) continue;
    span[static_cast<size_t>(choice[i])] = choice[i + 1];
    factor *= static_cast<double>(choice[i + 1]);
  }
  for (const int64_t x : span) points *= static_cast<double>(x);
  return {log_steps(factor * static_cast<double>(updates(s)), 1, 2),
          log_steps(points / std::max(1.0, operand_elements(*s.info, span)), 0.5, 4)};
}

}  // namespace

Rule unroll_rule() {
  return {DecisionKind::kUnroll, [](const Context&, const Sketch&) { return 1; }, candidates, apply, nullptr, consequences};
}

}  // namespace tlm::space
