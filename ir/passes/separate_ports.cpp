// No value is an input and an output of the model at once.
#include <algorithm>

#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm::ir {

bool separate_ports(Graph& g) {
  bool changed = false;
  for (ValueId& out : g.outputs) {
    if (std::find(g.inputs.begin(), g.inputs.end(), out) == g.inputs.end()) continue;
    const std::string name = g.value(out).name;
    const ValueId copy = add_op(g, OpKind::kIdentity, {out}, {}, name)[0];
    g.value(copy).name = name;
    out = copy;
    changed = true;
  }
  return changed;
}

}  // namespace tlm::ir
