// Whether weights are asked for before they are needed.
#include <algorithm>

#include "tlm/space/rules/rule.h"

namespace tlm::space {
namespace {

constexpr double kWorthAsking = 65536;  // bytes: less is there after a moment

// A constant in panels, several of them, that one core does not read in a moment.
bool reads_panels(const Context& c, const Sketch& s) {
  return std::any_of(s.info->loads.begin(), s.info->loads.end(), [&](const Access& a) {
    const std::vector<ir::PackedDim>& packed = s.plan.packed[a.tensor];
    if (!a.constant || a.epilogue || packed.size() < 2) return false;
    const bool several = std::any_of(packed.begin(), packed.end(), [&](const ir::PackedDim& d) {
      return d.dim == packed.back().dim && d.step == packed.back().extent && d.extent > 1;
    });
    return several && static_cast<double>(element_count(c.g.tensors[a.tensor].shape) * a.element_bytes) >= kWorthAsking;
  });
}

}  // namespace

Rule prefetch_rule() {
  return {DecisionKind::kPrefetch, [](const Context&, const Sketch&) { return 1; },
          [](const Context& c, const Sketch& s, int) {
            std::vector<Choice> out = {{0}};
            if (c.target.device == DeviceKind::kCpu && s.info->reduces && reads_panels(c, s)) out.push_back({1});
            return out;
          },
          [](const Context&, Sketch& s, int, const Choice& c) { nest_plan(s).prefetch = c[0] != 0; }};
}

}  // namespace tlm::space
