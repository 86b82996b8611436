#include "tlm/space/plan.h"

namespace tlm::space {
namespace {

std::string list(const std::vector<int>& axes, const ir::Stage& s) {
  std::string out;
  for (int a : axes) out += (out.empty() ? "" : ",") + s.axes.at(a).name;
  return out.empty() ? "-" : out;
}

}  // namespace

std::string print(const SchedulePlan& plan, const ir::Subgraph& g) {
  static const char* const kAttachText[] = {"root", "inline", "epilogue"};
  static const char* const kTailText[] = {"peeled", "balanced", "shifted"};
  std::string out;
  for (size_t s = 0; s < plan.attach.size(); ++s) {
    out +=
        "attach " + std::to_string(s) + " " + g.stages.at(s).name + ": " + kAttachText[static_cast<int>(plan.attach[s])] + "\n";
  }
  for (const NestPlan& n : plan.nests) {
    const ir::Stage& s = g.stages.at(n.stage);
    out += "nest " + std::to_string(n.stage) + " " + s.name;
    for (int e : n.epilogue) out += " + " + std::to_string(e) + " " + g.stages.at(e).name;
    out += "\n";
    for (size_t a = 0; a < n.axes.size(); ++a) {
      const AxisPlan& p = n.axes[a];
      out += "  axis " + s.axes[a].name + " " + std::to_string(s.axes[a].extent) + ": tile " + std::to_string(p.tile) +
             " cache " + std::to_string(p.cache) + " " + kTailText[static_cast<int>(p.tail)];
      if (static_cast<int>(a) == n.vector_axis) out += " vector " + std::to_string(n.lanes);
      out += "\n";
    }
    out += "  order " + list(n.order, s) + " inner " + list(n.inner_order, s) + " reduce " + list(n.reduce_order, s) +
           " unroll " + list(n.unroll_order, s) + " parallel " + std::to_string(n.parallel) + " grain " +
           std::to_string(n.grain) + (n.prefetch ? " prefetch" : "") + "\n";
  }
  for (size_t t = 0; t < plan.packed.size(); ++t) {
    if (plan.packed[t].empty()) continue;
    out += "packed " + std::to_string(t) + " " + g.tensors.at(t).name + ":";
    for (const ir::PackedDim& d : plan.packed[t]) {
      out += " [" + std::to_string(d.dim) + ": " + std::to_string(d.extent) + " step " + std::to_string(d.step) + "]";
    }
    out += "\n";
  }
  return out;
}

}  // namespace tlm::space
