#include "tlm/ir/partition/step_builder.h"

#include <algorithm>
#include <numeric>

#include "tlm/core/error.h"
#include "tlm/ir/lowering/lower_operator.h"
#include "tlm/ir/partition/view_math.h"
#include "tlm/ir/tensor/merge_axes.h"

namespace tlm::ir {
namespace {

std::string display_name(const Graph& g, NodeId id) {
  const Node& n = g.node(id);
  if (!n.name.empty()) return n.name;
  for (ValueId v : n.outputs) {
    if (v.valid()) return g.value(v).name;
  }
  return std::string(op_kind_name(n.op));
}

// Row-major position of an index, and back, as expressions.
Expr flatten(const std::vector<Expr>& at, const Shape& shape) {
  Expr flat = make_int(0);
  for (size_t d = 0; d < shape.size(); ++d) flat = flat * shape[d] + at[d];
  return flat;
}

std::vector<Expr> unflatten(const Expr& flat, const Shape& shape) {
  std::vector<Expr> at(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = shape[d] == 1 ? make_int(0) : floor_div(flat, step);
    if (d > 0 && shape[d] != 1) at[d] = floor_mod(at[d], shape[d]);
    step *= shape[d];
  }
  return at;
}

// to[i…] = from[i…]; axes of extent 1 are left out.
Stage copy_stage(const std::string& name, const TensorDecl& from, const TensorDecl& to) {
  Stage s;
  s.name = name;
  std::vector<Expr> at;
  for (size_t d = 0; d < to.shape.size(); ++d) {
    if (to.shape[d] == 1) {
      at.push_back(make_int(0));
      continue;
    }
    at.push_back(make_var(static_cast<int>(s.axes.size())));
    s.axes.push_back({"i" + std::to_string(d), to.shape[d], AxisKind::kSpatial});
  }
  const std::vector<Expr> from_at = from.shape == to.shape ? at : unflatten(flatten(at, to.shape), from.shape);
  s.body = {make_load(0, from.dtype, from_at)};
  s.result = {make_acc(0, to.dtype)};
  s.outputs = {{1, at}};
  return s;
}

// Where both sides can be read under one finer shape, the copy needs no division.
void refine(BufferCopy& c) {
  if (c.from.shape == c.to.shape) return;
  const std::optional<Shape> shape = common_refinement(c.from.shape, c.to.shape);
  if (!shape) return;
  for (BufferView* side : {&c.from, &c.to}) {
    const auto strides = reshape_strides(side->shape, side->strides, *shape);
    TLM_CHECK(strides) << to_string(side->shape) << " as " << to_string(*shape);
    side->strides = *strides;
    side->shape = *shape;
  }
}

// Strides of dimensions of extent 1 say nothing: the same ones everywhere, so that equal subgraphs have equal hashes.
void settle_unit_strides(Subgraph& g) {
  for (TensorDecl& d : g.tensors) {
    const std::vector<int64_t> usual = row_major_strides(d.shape);
    for (size_t i = 0; i < d.shape.size(); ++i) {
      if (d.shape[i] == 1) d.strides[i] = usual[i];
    }
  }
}

// The subgraph in its canonical form: equal computations are equal workloads.
void settle_form(Step& step) {
  step.subgraph = merge_axes(step.subgraph);
  settle_unit_strides(step.subgraph);
  for (size_t t = 0; t < step.made_up.size(); ++t)
    if (step.made_up[t]) step.made_up[t] = step.made_up[t]->reshaped(step.subgraph.tensors[t].shape);
}

}  // namespace

StepBuilder::StepBuilder(const Graph& g, const Placement& places) : g_(g), places_(places), uses_(g) {}

TensorDecl StepBuilder::declare(const BufferView& view, TensorRole role) const {
  const Value& v = g_.value(view.value);
  TensorDecl d;
  d.name = v.name;
  d.dtype = v.dtype;
  d.shape = view.shape;
  d.strides = view.strides;
  d.offset = view.offset;
  d.role = role;
  d.buffer_elements = element_count(g_.value(places_.of[static_cast<size_t>(view.value.index)].root).shape);
  return d;
}

std::optional<Step> StepBuilder::subgraph(const Group& group) const {
  SubgraphBuilder b(g_);
  for (NodeId n : group.nodes) lower_node(g_.node(n), b);
  std::vector<char> written(b.subgraph.tensors.size(), 0);
  for (const Stage& s : b.subgraph.stages) {
    for (const StageOutput& out : s.outputs) written[static_cast<size_t>(out.tensor)] = 1;
  }
  const auto read_outside = [&](ValueId v) {
    if (uses_.is_output(v)) return true;
    const std::vector<NodeId>& readers = uses_.readers(v);
    return std::any_of(readers.begin(), readers.end(),
                       [&](NodeId r) { return std::find(group.nodes.begin(), group.nodes.end(), r) == group.nodes.end(); });
  };
  for (size_t t = 0; t < b.subgraph.tensors.size(); ++t) {
    const ValueId v = b.binding[t];
    TensorDecl& d = b.subgraph.tensors[t];
    if (!v.valid() || d.role == TensorRole::kConstant) continue;
    if (written[t] && !read_outside(v)) {
      d.role = TensorRole::kInternal;
      b.binding[t] = {};
      continue;
    }
    const Place& p = places_.of[static_cast<size_t>(v.index)];
    d = declare({v, d.shape, p.strides, p.offset}, written[t] ? TensorRole::kOutput : TensorRole::kInput);
  }
  prune(b.subgraph, b.binding, b.made_up);
  if (b.subgraph.stages.empty()) return std::nullopt;
  Step step;
  step.kind = StepKind::kSubgraph;
  step.name = display_name(g_, group.leader);
  step.subgraph = std::move(b.subgraph);
  step.subgraph.name = step.name;
  step.binding = std::move(b.binding);
  step.made_up = std::move(b.made_up);
  step.nodes = group.nodes;
  settle_form(step);
  return step;
}

Step StepBuilder::runtime_call(NodeId id) const {
  const Node& n = g_.node(id);
  Step step;
  step.kind = StepKind::kRuntimeCall;
  step.name = display_name(g_, id);
  step.binding = n.inputs;
  step.binding.insert(step.binding.end(), n.outputs.begin(), n.outputs.end());
  step.call = runtime_call_name(n.op);
  step.attrs = n.attrs;
  step.nodes = {id};
  return step;
}

Step StepBuilder::copy(const BufferCopy& wanted, const std::string& name) const {
  BufferCopy c = wanted;
  refine(c);
  Step step;
  step.kind = StepKind::kSubgraph;
  step.name = name;
  step.subgraph.name = name;
  step.subgraph.tensors = {declare(c.from, TensorRole::kInput), declare(c.to, TensorRole::kOutput)};
  step.binding = {c.from.value, c.to.value};
  step.made_up.resize(2);
  if (const std::optional<Tensor>& constant = g_.value(c.from.value).constant) {
    // Not bound to the value: its shape may be another here, and it may be the output at the same time.
    TensorDecl& d = step.subgraph.tensors[0];
    d.role = TensorRole::kConstant;
    d.strides = row_major_strides(d.shape);
    d.buffer_elements = constant->size();
    step.made_up[0] = constant->reshaped(d.shape);
    step.binding[0] = {};
  }
  step.subgraph.stages = {copy_stage(name, step.subgraph.tensors[0], step.subgraph.tensors[1])};
  settle_form(step);
  return step;
}

Step StepBuilder::port_copy(ValueId v) const {
  const BufferView view{v, g_.value(v).shape, row_major_strides(g_.value(v).shape), 0};
  return copy({view, view}, g_.value(v).name);
}

void prune(Subgraph& g, std::vector<ValueId>& binding, std::vector<std::optional<Tensor>>& made_up) {
  // Stages are in topological order: from the last one back, what is needed is known.
  std::vector<char> needed(g.tensors.size(), 0);
  for (size_t t = 0; t < g.tensors.size(); ++t) needed[t] = g.tensors[t].role == TensorRole::kOutput;
  std::vector<Stage> kept;
  for (auto s = g.stages.rbegin(); s != g.stages.rend(); ++s) {
    const bool wanted = std::any_of(s->outputs.begin(), s->outputs.end(),
                                    [&](const StageOutput& o) { return needed[static_cast<size_t>(o.tensor)] != 0; });
    if (!wanted) continue;
    for (int t : loaded_tensors(*s)) needed[static_cast<size_t>(t)] = 1;
    kept.push_back(std::move(*s));
  }
  std::reverse(kept.begin(), kept.end());
  g.stages = std::move(kept);

  std::vector<char> used(g.tensors.size(), 0);
  for (const Stage& s : g.stages) {
    for (int t : loaded_tensors(s)) used[static_cast<size_t>(t)] = 1;
    for (const StageOutput& o : s.outputs) used[static_cast<size_t>(o.tensor)] = 1;
  }
  if (std::all_of(used.begin(), used.end(), [](char u) { return u != 0; })) return;
  std::vector<int> number(g.tensors.size(), -1);
  int next = 0;
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    if (!used[t]) continue;
    const auto n = static_cast<size_t>(next);
    if (n != t) {
      g.tensors[n] = std::move(g.tensors[t]);
      binding[n] = binding[t];
      made_up[n] = std::move(made_up[t]);
    }
    number[t] = next++;
  }
  g.tensors.resize(static_cast<size_t>(next));
  binding.resize(static_cast<size_t>(next));
  made_up.resize(static_cast<size_t>(next));
  const auto renumber = [&](const Expr& e) -> Expr {
    if (e->op != Op::kLoad) return {};
    return make_load(number[static_cast<size_t>(e->id)], e->dtype, e->args);
  };
  for (Stage& s : g.stages) {
    for (Expr& e : s.body) e = rewrite(e, renumber);
    for (Expr& e : s.result) e = rewrite(e, renumber);
    for (StageOutput& o : s.outputs) o.tensor = number[static_cast<size_t>(o.tensor)];
  }
}

}  // namespace tlm::ir
