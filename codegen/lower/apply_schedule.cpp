#include "tlm/codegen/lower/apply_schedule.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "tlm/codegen/lower/nest_builder.h"
#include "tlm/core/error.h"
#include "tlm/space/physical_layout.h"

namespace tlm::codegen {

using namespace ir;
using space::Attach;
using space::NestPlan;
using space::SchedulePlan;

namespace {

int64_t packed_elements(const std::vector<PackedDim>& packed, const Shape& shape) {
  if (packed.empty()) return element_count(shape);
  int64_t n = 1;
  for (const PackedDim& d : packed) n *= d.extent;
  return n;
}

// Names of subgraphs come from models; a kernel's is an identifier of C.
std::string kernel_name(const std::string& name) {
  std::string out = "k_";
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

// The kernel's buffers and parameters: tensors by the same numbers; inputs, outputs and constants
// that any stage reads are passed in this order.
Kernel declare(const Subgraph& g, const SchedulePlan& plan) {
  Kernel k;
  k.name = kernel_name(g.name);
  for (const TensorDecl& t : g.tensors) {
    Buffer b;
    b.name = t.name;
    b.dtype = t.dtype;
    b.shape = t.shape;
    b.strides = space::physical_strides(t);
    b.offset = t.offset;
    b.scope = t.role == TensorRole::kInternal ? MemoryScope::kWorkspace : MemoryScope::kGlobal;
    b.elements = space::physical_elements(t);
    k.buffers.push_back(std::move(b));
  }
  std::vector<bool> read(g.tensors.size(), false);
  for (const Stage& s : g.stages)
    for (int t : loaded_tensors(s)) read[static_cast<size_t>(t)] = true;
  for (TensorRole role : {TensorRole::kInput, TensorRole::kOutput, TensorRole::kConstant}) {
    for (size_t t = 0; t < g.tensors.size(); ++t) {
      if (g.tensors[t].role != role || (role == TensorRole::kConstant && !read[t])) continue;
      KernelParam p;
      p.tensor = static_cast<int>(t);
      p.output = role == TensorRole::kOutput;
      if (role == TensorRole::kConstant) {
        if (t < plan.packed.size()) p.packed = plan.packed[t];
        k.buffers[t].elements = packed_elements(p.packed, g.tensors[t].shape);
        k.buffers[t].offset = 0;
        if (p.packed.empty()) k.buffers[t].strides = row_major_strides(g.tensors[t].shape);
      }
      p.elements = k.buffers[t].elements;
      k.buffers[t].param = static_cast<int>(k.params.size());
      k.params.push_back(std::move(p));
    }
  }
  return k;
}

// Tensors that must be stored: outputs, and what another nest reads after inlining.
std::vector<bool> stored_tensors(const Subgraph& g, const SchedulePlan& plan) {
  std::vector<bool> stored(g.tensors.size(), false);
  for (size_t t = 0; t < g.tensors.size(); ++t) stored[t] = g.tensors[t].role == TensorRole::kOutput;
  for (const NestPlan& nest : plan.nests) {
    std::set<int> own;  // written in this nest: epilogues read these from registers
    auto execute = [&](int s) {
      const Stage stage = space::inlined_stage(g, plan.attach, s);
      for (int t : loaded_tensors(stage))
        if (!own.count(t)) stored[static_cast<size_t>(t)] = true;
      for (const StageOutput& o : stage.outputs) own.insert(o.tensor);
    };
    execute(nest.stage);
    for (int s : nest.epilogue) execute(s);
  }
  return stored;
}

}  // namespace

Kernel apply_schedule(const Subgraph& g, const SchedulePlan& plan, const Target& target) {
  Kernel k = declare(g, plan);
  const std::vector<bool> stored = stored_tensors(g, plan);
  for (const NestPlan& nest : plan.nests) {
    Phase p;
    p.body = build_nest(k, g, plan, nest, stored, target);
    p.grain = std::max<int64_t>(nest.grain, 1);
    k.phases.push_back(std::move(p));
  }
  return k;
}

}  // namespace tlm::codegen
