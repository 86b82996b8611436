#include "tlm/ir/passes/pass_list.h"

namespace tlm::ir {

void run_graph_passes(Graph& g, const std::function<void(const std::string& pass, const Graph&)>& after,
                      const PassOptions& options) {
  const auto run = [&](const char* name, bool (*pass)(Graph&)) {
    const bool changed = pass(g);
    if (after) after(name, g);
    return changed;
  };
  run("separate_ports", separate_ports);
  // Every round that changes something removes nodes or brings one nearer to its final form; few models need a third.
  for (bool changed = true; changed;) {
    changed = run("eliminate", eliminate);
    changed |= run("fold_constants", fold_constants);
    changed |= run("fold_affine", fold_affine);
  }
  if (options.channels_last) {
    run("assign_layouts", assign_layouts);
  } else {
    run("assign_row_major", assign_row_major);
  }
}

}  // namespace tlm::ir
