#include "tlm/codegen/buffer_binding.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "tlm/codegen/derived_constants.h"
#include "tlm/codegen/memory_plan.h"
#include "tlm/core/error.h"

namespace tlm::codegen {
namespace {

using runtime::BufferRef;
using runtime::BufferSpace;

constexpr uint64_t kWeightAlign = 64;

// A buffer of the arena while its lifetime is being found.
struct Life {
  uint64_t bytes = 0;
  int first = -1, last = -1;
};

class Binder {
 public:
  Binder(const ir::Graph& g, const ir::Partition& p, const std::vector<Workload>& workloads, const std::vector<int>& workload_of)
      : g_(g), p_(p), workloads_(workloads), workload_of_(workload_of), life_(g.values.size()), port_(g.values.size()) {
    for (size_t i = 0; i < g.inputs.size(); ++i) set_port(g.inputs[i], BufferSpace::kInput, i);
    for (size_t i = 0; i < g.outputs.size(); ++i) set_port(g.outputs[i], BufferSpace::kOutput, i);
  }

  BufferBinding bind(const std::vector<uint64_t>& workspace_bytes) {
    for (size_t s = 0; s < p_.steps.size(); ++s) find_lives(static_cast<int>(s));
    std::vector<ArenaBlock> blocks;
    std::vector<int> block_of(life_.size(), -1);
    for (size_t v = 0; v < life_.size(); ++v) {
      if (life_[v].first < 0) continue;
      block_of[v] = static_cast<int>(blocks.size());
      blocks.push_back({life_[v].bytes, life_[v].first, life_[v].last});
    }
    const size_t first_workspace = blocks.size();
    for (size_t s = 0; s < p_.steps.size(); ++s) blocks.push_back({workspace_bytes[s], static_cast<int>(s), static_cast<int>(s)});
    const ArenaPlan plan = plan_arena(blocks);
    result_.arena_bytes = plan.bytes;
    for (size_t s = 0; s < p_.steps.size(); ++s) result_.workspace_offsets.push_back(plan.offsets[first_workspace + s]);
    arena_offset_.resize(life_.size());
    for (size_t v = 0; v < life_.size(); ++v)
      if (block_of[v] >= 0) arena_offset_[v] = plan.offsets[static_cast<size_t>(block_of[v])];
    for (size_t s = 0; s < p_.steps.size(); ++s) result_.args.push_back(step_args(s));
    return std::move(result_);
  }

 private:
  ir::ValueId root(ir::ValueId v) const { return p_.alias[static_cast<size_t>(v.index)]; }

  void set_port(ir::ValueId v, BufferSpace space, size_t index) {
    std::optional<BufferRef>& port = port_[static_cast<size_t>(root(v).index)];
    TLM_CHECK(!port) << "two ports of the model share the buffer of value '" << g_.value(v).name << "'";
    port = BufferRef{space, static_cast<int>(index), 0, 0};
  }

  // Values that a step touches, with the bytes of their buffers.
  void touch(ir::ValueId v, uint64_t bytes, int step) {
    const auto r = static_cast<size_t>(root(v).index);
    if (port_[r] || g_.values[r].constant) return;
    Life& life = life_[r];
    if (life.first < 0) life.first = step;
    life.last = step;
    life.bytes = std::max(life.bytes, bytes);
  }

  void find_lives(int s) {
    const ir::Step& step = p_.steps[static_cast<size_t>(s)];
    if (step.kind == ir::StepKind::kSubgraph) {
      const auto& tensors = step.subgraph.tensors;
      for (size_t t = 0; t < tensors.size(); ++t)
        if (step.binding[t].valid() && tensors[t].role != ir::TensorRole::kConstant)
          touch(step.binding[t], static_cast<uint64_t>(tensors[t].buffer_elements) * dtype_size(tensors[t].dtype), s);
    } else {
      for (const ir::ValueId v : step.binding)
        if (v.valid()) touch(v, value_bytes(v), s);
    }
  }

  uint64_t value_bytes(ir::ValueId v) const {
    const ir::Value& value = g_.value(v);
    return static_cast<uint64_t>(element_count(value.shape)) * dtype_size(value.dtype);
  }

  BufferRef activation(ir::ValueId v, uint64_t bytes) const {
    const auto r = static_cast<size_t>(root(v).index);
    BufferRef ref = port_[r] ? *port_[r] : BufferRef{BufferSpace::kArena, 0, arena_offset_[r], 0};
    ref.bytes = bytes;
    return ref;
  }

  // The same constant in the same layout is stored once. `identity` tells constants of equal content apart cheaply.
  BufferRef weight(const Tensor& t, const ConstantOrigin& origin, const std::vector<ir::PackedDim>& packed, uint64_t bytes) {
    std::vector<int64_t> layout;
    if (!packed.empty() || !origin.recipes.empty()) layout = t.shape();  // rows are the same under any shape
    for (const auto& recipe : origin.recipes) layout.push_back(static_cast<int64_t>(ir::workload_hash(*recipe)));
    layout.push_back(-1);
    for (const ir::PackedDim& d : packed) layout.insert(layout.end(), {d.dim, d.extent, d.step});
    const auto key = std::make_tuple(static_cast<const void*>(t.data()), t.bytes(), layout);
    const auto [it, fresh] = weight_offsets_.try_emplace(key, result_.weights_bytes);
    if (fresh) {
      result_.weights.push_back({t, origin.recipes, packed, result_.weights_bytes, bytes});
      result_.weights_bytes += (bytes + kWeightAlign - 1) / kWeightAlign * kWeightAlign;
    }
    return BufferRef{BufferSpace::kWeights, 0, it->second, bytes};
  }

  std::vector<BufferRef> step_args(size_t s) {
    const ir::Step& step = p_.steps[s];
    std::vector<BufferRef> args;
    if (step.kind == ir::StepKind::kRuntimeCall) {
      for (const ir::ValueId v : step.binding) {
        if (!v.valid()) {
          args.push_back(BufferRef{BufferSpace::kArena, 0, 0, 0});
        } else if (const auto& c = g_.value(root(v)).constant) {
          args.push_back(weight(*c, {}, {}, c->bytes()));
        } else {
          args.push_back(activation(v, value_bytes(v)));
        }
      }
      return args;
    }
    const Workload& workload = workloads_[static_cast<size_t>(workload_of_[s])];
    for (const ir::KernelParam& param : workload.kernel.params) {
      const auto t = static_cast<size_t>(param.tensor);
      const ir::TensorDecl& decl = workload.program->tensors[t];
      const uint64_t bytes = static_cast<uint64_t>(param.elements) * dtype_size(decl.dtype);
      if (decl.role == ir::TensorRole::kConstant) {
        const ConstantOrigin origin = constant_origin(*workload.program, param.tensor);
        const auto o = static_cast<size_t>(origin.tensor);
        const Tensor* source = step.binding[o].valid() ? &*g_.value(root(step.binding[o])).constant : &*step.made_up[o];
        args.push_back(weight(source->reshaped(workload.program->tensors[o].shape), origin, param.packed, bytes));
      } else {
        args.push_back(activation(step.binding[t], bytes));
      }
    }
    return args;
  }

  const ir::Graph& g_;
  const ir::Partition& p_;
  const std::vector<Workload>& workloads_;
  const std::vector<int>& workload_of_;
  std::vector<Life> life_;                      // by root value
  std::vector<std::optional<BufferRef>> port_;  // by root value
  std::vector<uint64_t> arena_offset_;          // by root value
  std::map<std::tuple<const void*, size_t, std::vector<int64_t>>, uint64_t> weight_offsets_;
  BufferBinding result_;
};

}  // namespace

BufferBinding bind_buffers(const ir::Graph& g, const ir::Partition& p, const std::vector<Workload>& workloads,
                           const std::vector<int>& workload_of, const std::vector<uint64_t>& workspace_bytes) {
  return Binder(g, p, workloads, workload_of).bind(workspace_bytes);
}

}  // namespace tlm::codegen
