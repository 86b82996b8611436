// How the remainder of a register-tiled axis is done.
#include "tlm/space/rules/rule.h"

namespace tlm::space {
namespace {

std::vector<Choice> candidates(const Context&, const Sketch& s, int axis) {
  std::vector<Choice> out = {{static_cast<int64_t>(Tail::kPeeled)}};
  const NestPlan& plan = nest_plan(s);
  const AxisPlan& a = plan.axes[axis];
  const int64_t extent = s.info->extent[axis];
  if (axis >= s.info->spatial || axis == plan.vector_axis || a.cache != 0 || extent % a.tile == 0) return out;
  out.push_back({static_cast<int64_t>(Tail::kBalanced)});
  // Overlapping tiles store some elements twice. That is harmless unless an operand may be overwritten in between: what is read
  // at the point itself (an epilogue operand, or any operand where nothing is reduced) could share its memory with the output.
  if (s.info->own_memory) out.push_back({static_cast<int64_t>(Tail::kShifted)});
  return out;
}

}  // namespace

Rule tail_rule() {
  return {DecisionKind::kTail, [](const Context&, const Sketch& s) { return s.info->spatial; }, candidates,
          [](const Context&, Sketch& s, int axis, const Choice& c) { nest_plan(s).axes[axis].tail = static_cast<Tail>(c[0]); },
          [](const Context&, const Sketch& s, int axis) {
            return std::vector<int64_t>{s.info->extent[axis] % nest_plan(s).axes[axis].tile};
          }};
}

}  // namespace tlm::space
